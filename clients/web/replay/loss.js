// Where the person who looks at his own hand lost most, by the cards as they were shown.

import { potOdds } from "./steps.js";

/** @import {Recorded, Step} from "./steps.js" */
/**
 * A call or a fold that lost chips on average: `share` of the pot was his, `needs` was what the call needed.
 * @typedef {{step: number, kind: "call" | "fold", call: number, share: number, needs: number, chips: number}} Loss
 */

/** Share of the pot: what is less can be an error of the random boards before the flop. */
const LEAST = 0.02;

/**
 * What each call and fold of the person who looks at his own hand lost on average, below 0 where it was right. It is judged by the
 * cards of everybody who was still in, as if nobody had bet any more. Nothing is judged where they may not be seen, where somebody has
 * still to call or is all in for less (what a call could win is not known then, or not all for one share), and for bets and raises.
 * `isClear`: more is at stake than chance boards may err.
 * @param {Recorded} hand
 * @param {readonly Step[]} all
 * @returns {(Loss & {pot: number, isClear: boolean})[]}
 */
export function judgedDecisions(hand, all) {
  return all.flatMap(({ message }, step) => {
    if (message.type !== "acted" || message.seat !== hand.own || (message.action !== "call" && message.action !== "fold")) return [];
    const odds = potOdds(hand, all, step - 1);
    const { seats = [], players = {} } = all[step - 1]?.state.hand ?? {};
    const share = hand.equities?.[step - 1]?.[seats.indexOf(hand.own)];
    if (!odds || share === undefined) return [];
    const { call, pot, needs } = odds;
    const level = (players[hand.own]?.bet ?? 0) + call;
    if (Object.values(players).some(({ seat, folded, bet }) => seat !== hand.own && !folded && bet < level)) return [];
    const gain = share * (pot + call) - call;
    const kind = message.action;
    return [{ step, kind, call, pot, share, needs, chips: kind === "call" ? -gain : gain, isClear: Math.abs(gain) >= LEAST * (pot + call) }];
  });
}

/**
 * The call or fold that lost most. `judged` says how many were judged.
 * @param {Recorded} hand
 * @param {readonly Step[]} all
 * @returns {{judged: number, loss: Loss | null}}
 */
export function largestLoss(hand, all) {
  const found = judgedDecisions(hand, all);
  const [largest] = found.filter(({ chips, isClear }) => isClear && chips > 0).sort((one, other) => other.chips - one.chips);
  return { judged: found.length, loss: largest ?? null };
}
