// The amount of a raise: typed, chosen or stepped to, in chips or in big blinds.

import { parseAmount, presets, stepAmount } from "./actions.js";
import { parseNumber, typedNumber } from "../lib/language.js";
import { amount } from "../lib/words.js";

/**
 * @import {YourTurn} from "../lib/messages.d.ts"
 * @import {LocalMessage} from "../lib/table_types.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {App, Ui} from "./app.js"
 */

/** The big blind, where amounts are in big blinds: that of the hand, until the next one is dealt. @param {Pick<App, "settings" | "state">} app */
export const unitOf = ({ settings, state }) => (settings.bigBlinds ? state.hand?.bigBlind ?? state.bigBlind : undefined);

/**
 * The amount that a raise would have now: typed, else chosen, else the least.
 * @param {App} app
 * @param {YourTurn} turn
 * @returns {{to: number, error: ""} | {to: null, error: string}}
 */
export function raiseAmount(app, turn) {
  const { ui } = app;
  if (ui.typedAmount !== null) return parse(app, turn, ui.typedAmount);
  return { to: ui.raiseTo ?? turn.raise_to?.[0] ?? 0, error: "" };
}

/** @param {App} app @param {YourTurn} turn @param {string} text */
function parse(app, turn, text) {
  const unit = unitOf(app);
  return parseAmount(text, turn, unit ?? 1, (chips) => amount(chips, unit));
}

/**
 * Forgets the amount when the turn is another one. After a broken connection the same turn is asked again.
 * @param {App} app
 * @returns {Partial<Ui>}
 */
export function amountOfTurn({ ui, state: { match, turn } }) {
  const amountFor = `${match?.match} ${turn?.turn}`;
  return ui.amountFor === amountFor ? {} : { amountFor, raiseTo: null, typedAmount: null };
}

/**
 * What is typed means the same chips where other settings change the unit. An amount that a raise can have is kept as chips, since
 * in big blinds it may have no end.
 * @param {App} app
 * @param {Settings} changed
 * @returns {Partial<Ui>}
 */
export function amountWith(app, changed) {
  const { ui: { typedAmount }, state, settings } = app;
  if (typedAmount === null || changed.bigBlinds === settings.bigBlinds) return {};
  const to = state.turn && raiseAmount(app, state.turn).to;
  if (to !== null) return { raiseTo: to, typedAmount: null };
  const typed = parseNumber(typedAmount);
  const [before = 1, after = 1] = [settings, changed].map((one) => unitOf({ settings: one, state }));
  return Number.isNaN(typed) ? {} : { typedAmount: typedNumber((typed * before) / after, 6) };
}

/**
 * @param {App} app
 * @param {(message: LocalMessage) => void} dispatch
 * @param {(some: Partial<Ui>) => void} updateUi
 */
export function amountHandlers(app, dispatch, updateUi) {
  const handlers = {
    /** @param {number} to */
    setAmount: (to) => updateUi({ raiseTo: to, typedAmount: null }),
    /** @param {string} typed */
    typeAmount: (typed) => updateUi({ typedAmount: typed }),
    explainAmount() {
      const { turn } = app.state;
      if (turn) dispatch({ type: "notice", text: parse(app, turn, "").error });
    },
    /** @param {number} steps */
    stepBy(steps) {
      const { turn, bigBlind } = app.state;
      if (turn) handlers.setAmount(stepAmount(raiseAmount(app, turn).to ?? turn.raise_to?.[0] ?? 0, steps, turn, bigBlind));
    },
    /** @param {number} index */
    usePreset(index) {
      const { state } = app;
      const me = state.hand?.players[state.me];
      const preset = state.turn && me ? presets(state.turn, me.bet, app.settings.shares)[index] : undefined;
      if (preset?.enabled) handlers.setAmount(preset.to);
    },
  };
  return handlers;
}
