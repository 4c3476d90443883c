// How others play, without a page.

import assert from "node:assert/strict";
import test from "node:test";

// lit-html wants a document when it is loaded, and draws nothing here.
globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}), documentElement: { lang: "en" } };
const { loadStyles, seatStyles } = await import("../../clients/web/table/hud.js");

const style = (hands) => ({ hands, vpip: 0.24, pfr: 0.18, three_bet: null, aggression: 0.4 });

test("of two people with one name it is not said how they play", async () => {
  const players = [["ann", 900], ["ben", 50], ["ann", 20]].map(([name, hands]) => ({ name, style: style(hands) }));
  globalThis.fetch = async () => ({ ok: true, json: async () => ({ players }) });
  assert.deepEqual([...await loadStyles()], [["ben", style(50)]]);
});

test("all hands are told if they are more than those here", () => {
  const state = { names: ["ann", "ben", "eve"], styles: { 0: style(12), 1: style(12) }, allStyles: new Map([["ann", style(40)], ["ben", style(8)]]) };
  assert.deepEqual(seatStyles(state, 0), [style(40), style(12)]);
  // The archive is a minute behind.
  assert.deepEqual(seatStyles(state, 1), [style(12)]);
  assert.deepEqual(seatStyles(state, 2), [undefined]);
});
