import assert from "node:assert/strict";
import { test } from "node:test";

import { brokenOffText, runningTotals, verdictText, readChallengeForm, withShownNames } from "../../clients/web/lobby/challenge_words.js";
import { countByKind } from "../../clients/web/lib/bots.js";

const BOTS = ["fair", "call", "raise", "random"];

/** A result in which these hands were played: pairs of chips. */
function ended(pairs, more = {}) {
  return {
    type: "challenge", table: "t", run: "t.1", rival_run: "t-rival.2", player: "ann", rival: "fair-3", opponents: [],
    game: "", big_blind: 10, of: pairs.length, player_net: 0, rival_net: 0, mean: 0, half: 0, decided: false,
    hands: pairs.map(([mine, theirs], index) => ({ hand: index + 1, player_net: mine, rival_net: theirs })), ...more,
  };
}

/** The form with its defaults, and some changes. */
function form(some = {}) {
  const data = new FormData();
  const defaults = {
    rival: "fair", which: "call", opponents: 3, hands: 50, game: "limit", small_blind: 5, big_blind: 10, ante: 1,
    stack: 1000, decision: 30, bank: 300, pause: 2,
  };
  for (const [name, value] of Object.entries({ ...defaults, ...some })) data.set(name, String(value));
  return data;
}

test("a form asks for a challenge with bots in all seats but one", () => {
  assert.deepEqual(readChallengeForm(form(), BOTS), {
    type: "create", mode: "challenge", name: "Challenge: Vera", rival: "fair", hands: 50, bots: ["call", "call", "call"],
    seats: 4, game: "limit", small_blind: 5, big_blind: 10, ante: 1, stack: 1000, decision_ms: 30000, bank_ms: 300000,
    pause_ms: 2000, research: false,
  });
  assert.equal(readChallengeForm(form({ research: "on" }), BOTS).research, true);
  assert.deepEqual(readChallengeForm(form({ which: "", opponents: 5 }), BOTS).bots, ["fair", "call", "raise", "random", "fair"]);
});

test("the verdict says who, by how much, and whether it is more than luck", () => {
  const many = Array.from({ length: 1000 }, () => [0, 0]);
  assert.equal(verdictText(ended(many, { mean: 2, half: 1.5, decided: true })),
    "ann played better: 20 big blinds more per 100 hands than fair-3, ±\u00a015 (95\u00a0%). Luck alone does not explain that.");
  assert.equal(verdictText(ended(many, { mean: -2, half: 3.55 })),
    "Undecided: fair-3 won 20 big blinds more per 100 hands than ann, ±\u00a035.5 (95\u00a0%). That could be luck.");
  assert.match(verdictText(ended(many)), /the same in every hand/);
  assert.match(verdictText(ended([[5, 3]], { mean: 2, half: null })), /Too few hands/);
});

test("bots are called as at the table, and by their programs where the player has such a name", () => {
  const told = ended([], { rival: "fair-4", opponents: ["fair-1", "call-2"], parameters: { "fair-4": { preflop: "odds" } } });
  const shown = withShownNames(told);
  assert.deepEqual([shown.player, shown.rival, shown.opponents], ["ann", "Vera 2", ["Vera 1", "Carl"]]);
  assert.deepEqual(shown.parameters, { "Vera 2": { preflop: "odds" } });
  assert.equal(withShownNames({ ...told, player: "Vera" }).rival, "fair-4");
});

test("the sums begin at nothing", () => {
  assert.deepEqual(runningTotals(ended([[5, -2], [-10, 4]])), { hands: [0, 1, 2], mine: [0, 5, -5], theirs: [0, -2, 2] });
});

test("a challenge that was broken off says so", () => {
  assert.equal(brokenOffText(ended([[1, 1], [1, 1]])), "");
  assert.equal(brokenOffText(ended([[1, 1], [1, 1]], { of: 10 })), "It was stopped early: these are the first 2 of 10 hands.");
});

test("opponents are counted by kind", () => {
  assert.equal(countByKind(["call-1", "fair-2", "call-3"]), "2 × Carl, Vera");
  assert.equal(countByKind([]), "");
});
