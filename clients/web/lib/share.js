// What leaves the page: text to the clipboard, files to the disk.

/**
 * @param {string} text
 * @param {string} done what to say when it is copied
 * @returns {Promise<string>} what to say
 */
export async function copy(text, done) {
  if (!navigator.clipboard) return `This browser does not let pages copy: ${text}`;
  try {
    await navigator.clipboard.writeText(text);
    return done;
  } catch {
    return "The browser did not allow that.";
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function save(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
