// Four short tones, made here: no files. Nothing sounds before the first gesture, as browsers and manners want it.

import { tablesWindow } from "./shared_connection.js";

/**
 * @import {ServerMessage} from "./messages.d.ts"
 * @import {LocalMessage, State} from "./table_types.js"
 */

/** @typedef {"turn" | "deal" | "chips" | "low"} Sound */

/** Tones as [frequency in Hz, start in s, length in s]. */
const TONES = /** @type {Record<Sound, [number, number, number][]>} */ ({
  turn: [[660, 0, 0.12], [880, 0.13, 0.2]],
  deal: [[320, 0, 0.05]],
  chips: [[1250, 0, 0.03], [1600, 0.05, 0.04]],
  low: [[440, 0, 0.15], [440, 0.22, 0.15]],
});

/**
 * The sound of a message; null for none.
 * @param {State} state after it
 * @param {ServerMessage | LocalMessage} message
 * @returns {Sound | null}
 */
export function soundFor(state, message) {
  if (message.type === "turn") return state.turn === message ? "turn" : null;
  if (["hand_start", "board", "second_board"].includes(message.type)) return "deal";
  return message.type === "acted" && message.paid ? "chips" : null;
}

export class Speaker {
  constructor() {
    /** @type {AudioContext | null} */
    this.context = null;
    const wake = () => {
      this.context ??= new AudioContext();
    };
    for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, wake, { once: true });
  }

  /**
   * @param {Sound} sound
   * @param {number} volume 0 to 1
   */
  play(sound, volume) {
    // Who has touched another table of the same window may hear this one, too.
    if (tablesWindow() && parent.navigator.userActivation?.hasBeenActive) this.context ??= new AudioContext();
    const { context } = this;
    if (!context || !volume) return;
    for (const [frequency, start, length] of TONES[sound]) {
      const tone = context.createOscillator();
      const gain = context.createGain();
      const at = context.currentTime + start;
      tone.frequency.value = frequency;
      gain.gain.setValueAtTime(volume * 0.2, at);
      gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
      tone.connect(gain).connect(context.destination);
      tone.start(at);
      tone.stop(at + length);
    }
  }
}
