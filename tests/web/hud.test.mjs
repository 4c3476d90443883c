// How others play, without a page.

import assert from "node:assert/strict";
import test from "node:test";

// lit-html wants a document when it is loaded, and draws nothing here.
globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}), documentElement: { lang: "en" } };
const { loadStyles, placeOf, seatStyles } = await import("../../clients/web/table/hud.js");
const { initialState, reduce } = await import("../../clients/web/table/state.js");

const style = (hands) => ({ hands, vpip: 0.24, pfr: 0.18, three_bet: null, aggression: 0.4 });

test("who sits there is known by the seat, whoever has the same name", async () => {
  const players = [["ann", 900, []], ["ben", 50, [["table-1", 2], ["table-7", 0]]], ["ann", 20, [["table-1", 0]]]].map(([name, hands, seats]) => ({ name, style: style(hands), seats }));
  const asked = [];
  globalThis.fetch = async (address) => {
    asked.push(address);
    return { ok: true, json: async () => ({ players }) };
  };
  const styles = await loadStyles("table-1");
  assert.deepEqual(asked, ["/api/players?table=table-1"]);
  assert.deepEqual(styles.get(placeOf("table-1", 0, "ann")), style(20));
  assert.deepEqual(styles.get(placeOf("table-7", 0, "ben")), style(50));
  assert.equal(styles.get(placeOf("table-1", 1, "ann")), undefined);
  assert.equal(styles.get(placeOf("table-1", 0, "eve")), undefined);
});

test("what is known of a seat goes with its holder", () => {
  const allStyles = new Map([[placeOf("table-1", 0, "ann"), style(40)]]);
  const state = { ...initialState("table-1"), names: ["ann", ""], allStyles };
  const seats = (...names) => ({ type: "seats", table: "table-1", seats: names.map((name, seat) => ({ seat, name })) });
  assert.equal(reduce(state, seats("ann", ""), 0).allStyles, allStyles);
  assert.equal(reduce(state, seats("", ""), 0).allStyles.size, 0);
});

test("all hands are told if they are more than those here", () => {
  const state = { table: "table-1", names: ["ann", "ben", "eve"], styles: { 0: style(12), 1: style(12) }, allStyles: new Map([[placeOf("table-1", 0, "ann"), style(40)], [placeOf("table-1", 1, "ben"), style(8)]]) };
  assert.deepEqual(seatStyles(state, 0), [style(40), style(12)]);
  // The archive is a minute behind.
  assert.deepEqual(seatStyles(state, 1), [style(12)]);
  assert.deepEqual(seatStyles(state, 2), [undefined]);
});
