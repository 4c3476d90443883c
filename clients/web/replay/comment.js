// A comment that travels in a link, after the step: "#12:Why%20not%20fold%3F". The server never sees it.

/** Characters of a comment. */
export const LONGEST = 280;

/** What would turn text around or hide it, and control characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu;

/** One line without what is not seen, not too long. @param {string} text */
export function cleanComment(text) {
  return [...text.replace(UNSEEN, " ").trim()].slice(0, LONGEST).join("").trim();
}

/** The comment in the hash of an address, or "". @param {string} hash */
export function commentFromHash(hash) {
  const text = /^#\d{0,6}:(.*)$/s.exec(hash)?.[1] ?? "";
  try {
    return cleanComment(decodeURIComponent(text));
  } catch {
    return "";  // not what this page writes
  }
}

/**
 * The hash of an address; the first step needs none.
 * @param {number} step
 * @param {string} comment
 */
export function hashFor(step, comment) {
  const said = cleanComment(comment);
  return step || said ? `#${step || ""}${said && `:${encodeURIComponent(said)}`}` : "";
}
