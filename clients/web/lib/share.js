// What leaves the page: text to the clipboard, files to the disk.

import { _ } from "./language.js";

/**
 * @param {string} text
 * @param {string} done the notice when it is copied
 * @returns {Promise<string>} the notice to show
 */
export async function copyToClipboard(text, done) {
  if (!navigator.clipboard) return _("This browser does not allow copying: {text}", { text });
  try {
    await navigator.clipboard.writeText(text);
    return done;
  } catch {
    return _("The browser did not allow that.");
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function saveFile(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
