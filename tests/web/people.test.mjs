// What a person's score says, without a page.

import assert from "node:assert/strict";
import test from "node:test";
import { countByKind } from "../../clients/web/lib/bots.js";
import { playedText, rateParts, settingText, shareParts } from "../../clients/web/people/score.js";

const TEN = {
  mode: "tournament", game: "nolimit", bots: ["fair", "call", "fair"], rival: "", small_blind: 5, big_blind: 10, ante: 0,
  stack: 1000, levels: 0, min_raise: "bb", matches: 10, hands: 0, memory: "match",
};
const numbers = (text) => text.match(/\d[\d,]*/g);

test("rates have signs and, if there is one, an interval", () => {
  assert.deepEqual(rateParts({ mean: 12.34, low: -4, high: 28.66 }), ["+12.3", "\u22124 to +28.7"]);
  assert.deepEqual(rateParts({ mean: -0.01, low: null, high: null }), ["0", ""]);
});

test("shares are percent; a corrected one may be below 0", () => {
  assert.deepEqual(shareParts({ mean: 0.3, low: 0.108, high: 0.603 }), ["30\u00a0%", "11 to 60"]);
  assert.deepEqual(shareParts({ mean: -0.02, low: null, high: null }), ["\u22122\u00a0%", ""]);
});

test("what was played has all its numbers", () => {
  const none = { mean: 0, low: null, high: null };
  const score = { results: 1, tournaments: 10, won: 3, hands: 1512, share: none, share_adjusted: none, bb100: none, bb100_adjusted: none };
  assert.deepEqual(numbers(playedText(score)), ["3", "10", "1,512"]);
  assert.deepEqual(numbers(playedText({ ...score, tournaments: 0 })), ["1,512"]);
  assert.equal(countByKind(TEN.bots), "2 × Vera, Carl");
});

test("settings that differ are told apart", () => {
  const others = [
    { game: "limit" }, { small_blind: 10, big_blind: 20 }, { ante: 1 }, { stack: 500 }, { levels: 12 }, { min_raise: "last_raise" },
    { matches: 5 }, { memory: "series" }, { mode: "challenge", rival: "fair", hands: 50 }, { mode: "challenge", rival: "call", hands: 50 },
  ];
  const texts = [{}, ...others].map((some) => settingText({ ...TEN, ...some }));
  assert.equal(new Set(texts).size, texts.length);
});
