import assert from "node:assert/strict";
import { test } from "node:test";

import { blindsText, dayBefore, fieldText, isDay, listNames, outcome, outcomesText, pasteText, rankText, streakText } from "../../clients/web/lobby/day_words.js";
import { dayName } from "../../clients/web/lib/language.js";

/** A day as the server tells it. */
const day = (more = {}) => ({
  day: "2025-11-25", ends_at: 0, published_at: 0, published: false, hands: 20, opponents: ["hbb5-1", "loki2-2"], rival: "sartre-6", big_blind: 10,
  commitment: "", seed: "", players: 6, mean: { mean: 1.25, low: null, high: null }, own: null, streak: 0, replay: "", ...more,
});
const own = (more = {}) => ({ challenge: "table-5.8", table: "", net: 125, worse: 3, others: 5, ...more });

test("days are dates in UTC", () => {
  assert.equal(dayName("2025-11-25"), "25 November 2025");
  assert.equal(dayBefore("2025-03-01"), "2025-02-28");
  assert.equal(dayBefore("2024-01-01"), "2023-12-31");
  assert.deepEqual(["2025-11-25", "table-5.8", "today", "2025-11-255"].map(isDay), [true, false, false, false]);
});

test("amounts are in big blinds, and a hand was won, lost or let go", () => {
  assert.deepEqual([125, -10, 10, 0, -4].map((chips) => blindsText(chips, 10)), [
    "+12.5 big blinds", "\u22121 big blind", "+1 big blind", "0 big blinds", "\u22120.4 big blinds"]);
  assert.deepEqual([5, 0, -5, -10, -11, -1000].map((chips) => outcome(chips, 10)), [1, 0, 0, 0, -1, -1]);
  assert.match(outcomesText([5, 5, 0, -10, -500], 10), /2\D+1\D+2\D/);
});

test("a rank needs others, and a streak two days", () => {
  assert.equal(rankText(null), "");
  assert.equal(rankText(own({ others: 0, worse: 0 })), "");
  assert.equal(rankText(own({ net: null })), "");
  assert.match(rankText(own()), /3 of 5/);
  assert.deepEqual([streakText(0), streakText(1)], ["", ""]);
  assert.match(streakText(12), /12/);
});

test("the field is told with its interval where there is one", () => {
  const texts = [
    day({ players: 0, mean: null }), day({ players: 0, mean: null, published: true }), day({ players: 1 }), day({ players: 1, own: own() }),
    day(), day({ mean: { mean: 1.25, low: -3, high: 5.5 } })].map(fieldText);
  assert.equal(new Set(texts).size, texts.length);
  assert.match(texts[5], /\u22123.*\+5\.5/);
  assert.doesNotMatch(texts[4], /95/);
});

test("bots are told apart by name", () => {
  assert.equal(listNames(["hbb5-1", "loki2-2", "pushfold-3"]), "Hector, Torsten and Max");
});

test("the text to paste has date, result, a sign for each hand, and no card", () => {
  const nets = [0, 500, -1000, -10, ...Array(16).fill(0)];
  const text = pasteText(day({ own: own(), streak: 3 }), nets, "https://club.example/challenge/2025-11-25");
  const lines = text.split("\n");
  assert.match(lines[0], /25 November 2025/);
  assert.match(lines[1], /\+12\.5 .*20/);
  assert.match(lines[2], /3 of 5.*3 days/);
  assert.deepEqual(lines.slice(3), ["\u00b7\u25b2\u25bc" + "\u00b7".repeat(7), "\u00b7".repeat(10), "https://club.example/challenge/2025-11-25"]);
  // How much a hand won tells what was in it.
  assert.doesNotMatch(text, /500|1000|50|100\b/);
  assert.equal(pasteText(day({ own: own({ others: 0 }) }), nets, "x").split("\n").length, 5);
});
