// The house bots that can be seated.

/** Bots that need no explanation; these are offered until the server has sent its list. */
export const BASIC_BOTS = ["fair", "call", "raise", "random"];

/** What each house bot does, from the server. @type {Readonly<Record<string, string>>} */
let descriptions = {};

/** "fair: plays well". @param {string} bot */
export const describeBot = (bot) => (descriptions[bot] ? `${bot}: ${descriptions[bot]}` : bot);

/**
 * Asks the server which house bots there are.
 * @param {(bots: readonly string[]) => void} onLoaded gets them in the order to offer them in; it is not called without
 *   an answer
 */
export async function loadBots(onLoaded) {
  try {
    const answer = await fetch("/api/bots");
    if (!answer.ok) return;
    ({ descriptions } = await answer.json());
    onLoaded(Object.keys(descriptions));
  } catch {
    // The basic ones stay.
  }
}
