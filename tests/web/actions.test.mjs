import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CALL_GUARD, SETTLE, actMessage, buttons, choices, isCheckFree, isAllInCall, isValidAt, parseAmount, presets, answerTo, isSameKind, stepAmount,
  isAllInOnlyRaise, whyTooSoon,
} from "../../clients/web/table/actions.js";
import { amountOfTurn, amountWith, raiseAmount } from "../../clients/web/table/amounts.js";
import { amount } from "../../clients/web/lib/words.js";
import { at, dealt, handStart, matchStart, play, turn } from "./deal.mjs";

const labels = (...args) => buttons(...args).map(({ verb, chips, enabled }) => [verb, chips, enabled]);
const show = (chips) => amount(chips);

test("the three buttons stay where they are and say their amounts", () => {
  assert.deepEqual(labels(turn(), 0, 1000, 40, 10), [["Fold", null, true], ["Call", 10, true], ["Raise to", 40, true]]);
  assert.deepEqual(labels(turn({ call: 0, fold: false }), 10, 990, 40, 10),
    [["Fold", null, true], ["Check", null, true], ["Raise to", 40, true]]);
  assert.deepEqual(labels(turn({ call: 0, fold: false }), 0, 990, 40, 0)[2], ["Bet", 40, true]);
  assert.deepEqual(labels(turn({ call: 300, raise_to: null }), 0, 300, 0, 600),
    [["Fold", null, true], ["Call all in", 300, true], ["Raise to", null, false]]);
  assert.deepEqual(labels(turn(), 0, 1000, 1000, 10)[2], ["All in", 1000, true]);
  // In no hand, where an amount of 0 would be all that there is.
  assert.deepEqual(labels(null, 0, 0, 0, 0, 0), [["Fold", null, false], ["Check", null, false], ["Bet", null, false]]);
});

test("all-in or fold has one button for all-in", () => {
  const question = turn({ call: 995, raise_to: [1000, 1000] });
  assert.deepEqual(labels(question, 5, 995, 1000, 10, 5),
    [["Fold", null, true], ["Call", 5, false], ["All in", 1000, true]]);
  assert.deepEqual(labels(turn({ call: 990, raise_to: null }), 10, 990, 0, 1000)[1], ["Call all in", 990, true]);
  assert.equal(isAllInCall(question, 995), true);
  assert.equal(isAllInCall(turn(), 1000), false);
  assert.equal(answerTo({ kind: "call", price: 5 }, question), null);
});

test("an amount that is not legal cannot be sent", () => {
  assert.equal(labels(turn(), 0, 1000, 19, 10)[2][2], false);
  assert.equal(labels(turn(), 0, 1000, 1001, 10)[2][2], false);
});

test("presets are shares of the pot after the call, as raise to", () => {
  // 10 in front of me, 30 to call, 60 in the pot: half of the pot after the call is 45 on top of 40.
  const found = presets(turn({ call: 30, pot: 60, raise_to: [70, 500] }), 10);
  assert.deepEqual(found.map(({ key, label, to, enabled }) => [key, label, to, enabled]), [
    ["1", "Min", 70, true], ["2", "½ pot", 85, true], ["3", "⅔ pot", 100, true], ["4", "Pot", 130, true],
    ["5", "All in", 500, true],
  ]);
});

test("a preset out of the limits is shown and cannot be taken", () => {
  const found = presets(turn({ call: 0, pot: 10, raise_to: [10, 12] }), 0, [0.25, 2, 0.4]);
  assert.deepEqual(found.map(({ label, enabled }) => [label, enabled]),
    [["Min", true], ["¼ pot", false], ["2× pot", false], ["40\u00a0%", false], ["All in", true]]);
});

test("limit games and turns without a raise have no presets", () => {
  assert.deepEqual(presets(turn({ raise_to: [20, 20] }), 0), []);
  assert.deepEqual(presets(turn({ raise_to: null }), 0), []);
});

test("typed amounts are taken as they are or refused with the limits", () => {
  const question = turn({ raise_to: [20, 1500] });
  assert.deepEqual(parseAmount("1,234", question, 1, show), { to: 1234, error: "" });
  assert.deepEqual(parseAmount(" 20 ", question, 1, show), { to: 20, error: "" });
  assert.equal(parseAmount("19", question, 1, show).to, null);
  assert.match(parseAmount("1501", question, 1, show).error, /20.*1,500/);
  for (const text of ["", "abc", "-5", "1e3", "0x20", "12.5.1"])
    assert.match(parseAmount(text, question, 1, show).error, /20.*1,500/, text);
  assert.match(parseAmount("20.5", question, 1, show).error, /20.*1,500/);
  assert.equal(parseAmount("20", turn({ raise_to: [20, 20] }), 1, show).to, 20);
  assert.equal(parseAmount("30", turn({ raise_to: [20, 20] }), 1, show).to, null);
  assert.match(parseAmount("30", turn({ raise_to: null }), 1, show).error, /cannot raise/);
});

test("amounts typed in big blinds are whole chips or refused", () => {
  const question = turn({ raise_to: [20, 1500] });
  assert.equal(parseAmount("2.5", question, 10, show).to, 25);
  assert.equal(parseAmount("2.3", question, 10, show).to, 23);
  assert.equal(parseAmount("2.55", question, 10, show).to, null);
});

/** The page in my turn, with what I typed. */
function typing(typedAmount, settings = {}, state = dealt(turn())) {
  const app = { state, settings: { bigBlinds: false, ...settings }, ui: { raiseTo: null, typedAmount: null, amountFor: "" } };
  return { ...app, ui: { ...app.ui, ...amountOfTurn(app), typedAmount } };
}

test("what is typed stays when its turn is asked again, and only then", () => {
  const app = typing("120");
  const kept = (...more) => ({ ...app.ui, ...amountOfTurn({ ...app, state: dealt(...more) }) }).typedAmount;
  assert.equal(kept({ type: "disconnected" }, matchStart({ resumed: true }), turn()), "120");
  assert.equal(kept(turn({ turn: 2 })), null);
  assert.equal(kept(matchStart({ match: "table-1/2" }), turn()), null);
  assert.equal(raiseAmount(app, app.state.turn).to, 120);
});

test("what is typed means the same chips in another unit", () => {
  const level = at({ type: "level", seq: 1, small_blind: 15, big_blind: 30, ante: 0 });
  const thirty = play(matchStart(), level, handStart({ blinds: [15, 30, 0] }), turn({ raise_to: [60, 1000] }));
  const switched = (typed, bigBlinds, state) => {
    const { raiseTo, typedAmount } = { raiseTo: null, typedAmount: typed, ...amountWith(typing(typed, { bigBlinds: !bigBlinds }, state), { bigBlinds }) };
    return [raiseTo, typedAmount];
  };
  assert.deepEqual(switched("40", true), [40, null]);
  assert.deepEqual(switched("4.5", false), [45, null]);
  assert.deepEqual(switched("100", true, thirty), [100, null], "although it is no round number of big blinds");
  // What is no legal amount does not become one.
  assert.deepEqual([switched("15", true), switched("1.5", false)], [[null, "1.5"], [null, "15"]]);
  assert.deepEqual([switched("50", true, thirty), switched("x", true)], [[null, "1.666667"], [null, "x"]]);
  assert.deepEqual(switched("40", true, dealt(turn(), { type: "disconnected" })), [null, "4"]);
  const app = typing("40");
  assert.deepEqual(amountWith(app, { ...app.settings, sound: false }), {});
});

test("what can be chosen in advance says its price", () => {
  assert.deepEqual(choices(0).map(({ verb, chips }) => [verb, chips]),
    [["Check/fold", null], ["Check", null], ["Fold to any bet", null]]);
  assert.deepEqual(choices(40).map(({ verb, chips }) => [verb, chips]),
    [["Fold", null], ["Call", 40], ["Fold to any bet", null]]);
});

test("a choice stands only at its price, folds at any", () => {
  assert.equal(isValidAt({ kind: "call", price: 40 }, 40), true);
  assert.equal(isValidAt({ kind: "call", price: 40 }, 80), false);
  assert.equal(isValidAt({ kind: "check", price: 0 }, 80), false);
  assert.equal(isValidAt({ kind: "check_fold" }, 80), true);
});

test("a choice answers the turn it was made for", () => {
  const free = turn({ call: 0, fold: false });
  assert.equal(answerTo({ kind: "check_fold" }, free).action, "check");
  assert.equal(answerTo({ kind: "check_fold" }, turn()).action, "fold");
  assert.equal(answerTo({ kind: "fold_any" }, turn()).action, "fold");
  assert.equal(answerTo({ kind: "call", price: 10 }, turn()).action, "call");
  assert.equal(answerTo({ kind: "call", price: 10 }, turn({ call: 20 })), null);
  assert.equal(answerTo({ kind: "check", price: 0 }, turn()), null);
  assert.equal(answerTo(null, turn()), null);
});

test("an answer names its turn, and only a raise an amount", () => {
  assert.deepEqual(actMessage(turn(), "raise", 40), { type: "act", table: "table-1", turn: 1, action: "raise", to: 40 });
  assert.deepEqual(actMessage(turn(), "fold", 40), { type: "act", table: "table-1", turn: 1, action: "fold" });
});

test("folding for nothing deserves a question", () => {
  assert.equal(isCheckFree(turn({ call: 0 })), true);
  assert.equal(isCheckFree(turn()), false);
});

test("a press that comes just after a change is not meant", () => {
  const state = { turnAt: 1000, raisedAt: 0, turn: turn() };
  assert.match(whyTooSoon("fold", 1000 + SETTLE - 1, state), /turn/);
  assert.equal(whyTooSoon("fold", 1000 + SETTLE, state), "");
  const raised = { ...state, raisedAt: 990 };
  assert.match(whyTooSoon("call", 990 + CALL_GUARD - 1, raised), /bet/);
  assert.equal(whyTooSoon("fold", 990 + CALL_GUARD - 1, raised), "");
  assert.equal(whyTooSoon("call", 990 + CALL_GUARD, raised), "");
  assert.equal(whyTooSoon("call", 1400, { ...raised, turn: turn({ call: 0 }) }), "", "a check costs nothing");
});

test("all in is the only raise, where there could be others", () => {
  const game = { betting: "nolimit", rules: "standard" };
  assert.equal(isAllInOnlyRaise(turn({ raise_to: [340, 340] }), game), true);
  assert.equal(isAllInOnlyRaise(turn({ raise_to: [40, 340] }), game), false);
  assert.equal(isAllInOnlyRaise(turn({ raise_to: null }), game), false);
  assert.equal(isAllInOnlyRaise(turn({ raise_to: [340, 340] }), { ...game, rules: "pushfold" }), false);
  assert.equal(isAllInOnlyRaise(turn({ raise_to: [40, 40] }), { ...game, betting: "limit" }), false);
});

test("steps of a big blind stay inside the limits", () => {
  assert.equal(stepAmount(20, 1, turn(), 10), 30);
  assert.equal(stepAmount(20, -1, turn(), 10), 20);
  assert.equal(stepAmount(995, 1, turn(), 10), 1000);
  assert.equal(stepAmount(5, 1, turn({ raise_to: null }), 10), 0);
});

test("choices are compared by kind", () => {
  assert.equal(isSameKind({ kind: "call", price: 1 }, { kind: "call", price: 1 }), true);
  assert.equal(isSameKind({ kind: "call", price: 1 }, null), false);
  assert.equal(isSameKind(null, null), true);
});
