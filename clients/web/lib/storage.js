// What this browser keeps, under keys of ours. A private window may refuse, and then it lasts as long as the page.

/** What is kept; null if nothing is, or something else than JSON. @param {string} key @returns {any} */
export function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // As above.
  }
}
