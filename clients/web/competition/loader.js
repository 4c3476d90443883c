// Answers of the API: requested when they are needed, kept while newer ones are on their way.

import { _ } from "../lib/language.js";

/**
 * `data` is the last answer. `note` is the progress of an answer that is being computed, or the error.
 * @typedef {{data: any, note: string, status: number, version: unknown, due: number, busy: boolean}} Answer
 */

/** Milliseconds until an answer that is being computed is requested again, and one that failed. */
const COMPUTING_DELAY = 400;
const RETRY_DELAY = 5000;

export class Loader {
  /** @param {() => void} onChange is called after each answer */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Map<string, Answer>} */
    this.answers = new Map();
  }

  /**
   * The answer as it is known now. When `version` has changed it is requested again, but not within
   * `rest` milliseconds.
   * @param {string} address
   * @param {unknown} [version]
   * @param {number} [rest]
   */
  get(address, version = 0, rest = 0) {
    let answer = this.answers.get(address);
    if (!answer) {
      answer = { data: null, note: "", status: 0, version: {}, due: 0, busy: false };
      this.answers.set(address, answer);
    }
    if (!answer.busy && answer.version !== version && performance.now() >= answer.due) void this.#fetch(address, answer, version, rest);
    return answer;
  }

  /**
   * @param {string} address
   * @param {Answer} answer
   * @param {unknown} version
   * @param {number} minInterval
   */
  async #fetch(address, answer, version, minInterval) {
    Object.assign(answer, { busy: true, version, due: performance.now() + minInterval });
    try {
      const response = await fetch(address);
      const body = await response.json();
      answer.status = response.status;
      if (response.status === 200) Object.assign(answer, { data: body, note: "" });
      else answer.note = body.message;
    } catch {
      Object.assign(answer, { status: 0, note: _("The server does not answer.") });
    }
    answer.busy = false;
    if (answer.status === 202 || answer.status === 0) {
      const pause = answer.status ? COMPUTING_DELAY : RETRY_DELAY;
      Object.assign(answer, { version: {}, due: performance.now() + pause });
      setTimeout(this.onChange, pause + 1);
    }
    this.onChange();
  }
}
