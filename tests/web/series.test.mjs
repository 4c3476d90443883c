// The results of a series of tournaments, and what leads to the next picture when somebody looks on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { agrees } from "../../clients/web/lib/seeds.js";
import { foreseen, stay } from "../../clients/web/lib/pace.js";
import { standings, thousands, written } from "../../clients/web/table/series.js";
import { SIMPLE, askForBots, conflict, described, filled, human, wishOf } from "../../clients/web/lib/create_table.js";

/** @param {number} match @param {number[]} places @param {string[]} players */
const over = (match, places, players = ["me", "a", "b", "c", "d"]) => ({ match, players, places, hands: 30 });

test("the thesis: six wins in ten make +20 thousand, one win -5", () => {
  const winners = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
  const results = winners.map((winner, number) => {
    let next = 1;
    return over(number + 1, [0, 1, 2, 3, 4].map((seat) => (seat === winner ? 1 : (next += 1))));
  });
  const [me, ...others] = standings(results, 1000);
  assert.deepEqual([me.name, me.won, me.balance, thousands(me.balance)], ["me", 6, 20000, "+20"]);
  assert.deepEqual(others.map(({ won, balance }) => [won, balance]), Array(4).fill([1, -5000]));
  assert.equal(standings(results, 1000).reduce((sum, { balance }) => sum + balance, 0), 0);
});

test("with equal balances the better places come first, and strangers have their own row", () => {
  const results = [over(1, [1, 2, 3], ["me", "a", "b"]), over(2, [3, 2, 1], ["new", "a", "b"])];
  const rows = standings(results, 500);
  assert.deepEqual(rows.map(({ name }) => name), ["me", "b", "new", "a"]);
  assert.deepEqual(rows.find(({ name }) => name === "new").places, [null, 3]);
  assert.deepEqual(rows.map(({ balance }) => balance), [1000, 500, -500, -1000]);
});

test("as CSV no name is a formula or breaks a line", () => {
  const rows = standings([over(1, [1, 2], ['=1+1', 'a "b", c'])], 1500);
  assert.deepEqual(written(rows, "csv").split("\n").slice(1, 3), ["'=1+1,1,1500,1.5,1", '"a ""b"", c",0,-1500,-1.5,2']);
  assert.equal(written(rows, "text").split("\n")[1], "=1+1\t1\t1500\t1.5\t1");
  assert.equal(written([], "csv"), "player,tournaments won,balance in chips,balance in thousands\n");
});

test("a run-out's pots are told before its first card, other pots are not", () => {
  const board = { type: "board", street: 2, cards: ["2c"] };
  const end = { type: "hand_end", pots: [{ amount: 9, seats: [0, 1], wins: [[0, 9]] }] };
  const kinds = (messages) => foreseen(messages).map(({ type }) => type).join(" ");
  assert.equal(kinds([{ type: "acted" }, { type: "shown" }, board, board, end]), "acted shown pots board board hand_end");
  assert.equal(kinds([board, { type: "acted" }, end]), "board acted hand_end");
  assert.equal(kinds([board]), "board");
  assert.deepEqual(foreseen([{ type: "shown" }, board, end])[1], { type: "pots", pots: [{ amount: 9, seats: [0, 1] }] });
});

test("who plays skips what waits too long, who looks on hurries after it", () => {
  const board = { type: "board", street: 1, cards: [] };
  assert.equal(stay(board, 12, 1, 0), stay(board, 12, 1, -1));
  assert.equal(stay(board, 13, 1, 0), 0);
  assert.equal(stay(board, 120, 1, -1), stay(board, 0, 1, -1) / 10);
});

test("bots take all seats of an exhibition, and four sit in the human test", () => {
  assert.deepEqual(filled(["call", "raise"], 5, SIMPLE), ["call", "raise", "call", "raise", "call"]);
  assert.deepEqual(filled([], 5, SIMPLE), ["fair", "call", "raise", "random", "fair"]);
  assert.equal(filled(["call", "call", "call"], 2, SIMPLE).length, 3);
  const { seats, bots, stack, matches, mode } = human("raise");
  assert.deepEqual([seats, bots, stack, matches, mode], [5, Array(4).fill("raise"), 1000, 10, "tournament"]);
});

test("bots are offered in the order of the server, with what they do, strangers by name", async () => {
  const descriptions = { loki2: "guesses finely and simulates", fair: "plays well" };
  globalThis.fetch = async () => Response.json({ bots: ["fair", "loki2"], descriptions });
  assert.equal(described("fair"), "fair");
  await askForBots((bots) => assert.deepEqual(bots, ["loki2", "fair"]));
  assert.deepEqual(["fair", "aaa"].map(described), ["fair: plays well", "aaa"]);
});

test("a form asks for as many of each bot as it says", () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ seats: 6, fair: 1, loki2: 2, aaa: 1, mode: "cash" })) form.set(name, String(value));
  assert.deepEqual(wishOf(form, ["fair", "call", "loki2", "aaa"]).bots, ["fair", "loki2", "loki2", "aaa"]);
  const show = new FormData();
  for (const [name, value] of Object.entries({ seats: 2, exhibition: "on" })) show.set(name, String(value));
  assert.deepEqual(wishOf(show, ["fair", "aaa"]).bots, ["fair", "aaa"]);
});

test("what does not go together is known before the server is asked", () => {
  const wish = { type: "create", small_blind: 5, big_blind: 10, ante: 0, stack: 20, seats: 2, bots: ["call", "call"], mode: "cash" };
  assert.equal(conflict(wish), null);
  for (const [field, more] of [["small_blind", { small_blind: 11 }], ["ante", { ante: 11 }], ["stack", { ante: 1 }], ["stack", { stack: 19 }],
    ["bots", { seats: 1 }], ["depth", { depth: [1, 10], mode: "tournament" }]]) {
    assert.equal(conflict({ ...wish, ...more })?.field, field);
  }
  assert.equal(conflict({ ...wish, stack: 2, depth: [1, 10] }), null);
});

test("a seed is compared with its promise", async () => {
  const promise = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925";
  assert.equal(await agrees("00".repeat(32), promise), true);
  assert.equal(await agrees("01".repeat(32), promise), false);
  assert.equal(await agrees("", promise), null);
});
