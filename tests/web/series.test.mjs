// The results of a series of tournaments, and what leads to the next picture when somebody looks on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { matchesCommitment } from "../../clients/web/lib/seeds.js";
import { MessagePlayback, displayTime, withRunOut } from "../../clients/web/lib/playback.js";
import { formatRows, inThousands, standings } from "../../clients/web/table/series.js";
import { BASIC_BOTS, describeBot, loadBots, parametersText, readBot } from "../../clients/web/lib/bots.js";
import { canKeepResult, fillSeats, findConflict, firstOpponent, readCreateForm, tenTournaments, usualMemory } from "../../clients/web/lib/create_table.js";

/** @param {number} match @param {number[]} places @param {string[]} players */
const over = (match, places, players = ["me", "a", "b", "c", "d"]) => ({ match, players, places, hands: 30 });

test("the thesis: six wins in ten make +20 thousand, one win -5", () => {
  const winners = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
  const results = winners.map((winner, number) => {
    let next = 1;
    return over(number + 1, [0, 1, 2, 3, 4].map((seat) => (seat === winner ? 1 : (next += 1))));
  });
  const [me, ...others] = standings(results, 1000);
  assert.deepEqual([me.name, me.won, me.balance, inThousands(me.balance)], ["me", 6, 20000, "+20"]);
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
  assert.deepEqual(formatRows(rows, "csv").split("\n").slice(1, 3), ["'=1+1,1,1500,1.5,1", '"a ""b"", c",0,-1500,-1.5,2']);
  assert.equal(formatRows(rows, "text").split("\n")[1], "=1+1\t1\t1500\t1.5\t1");
  assert.equal(formatRows([], "csv"), "player,tournaments won,balance in chips,balance in thousands\n");
});

test("a run-out's pots come before its first card, other pots are not", () => {
  const board = { type: "board", street: 2, cards: ["2c"] };
  const end = { type: "hand_end", pots: [{ amount: 9, seats: [0, 1], wins: [[0, 9]] }] };
  const kinds = (messages) => withRunOut(messages).map(({ type }) => type).join(" ");
  assert.equal(kinds([{ type: "acted" }, { type: "shown" }, board, board, end]), "acted shown pots board board hand_end");
  assert.equal(kinds([board, { type: "acted" }, end]), "board acted hand_end");
  assert.equal(kinds([board]), "board");
  // A second board is dealt street by street after the first: what both share, and one card more each time.
  const twice = { ...end, second: ["2s", "3s", "4s", "5c", "6c"] };
  const second = (messages) => withRunOut(messages).filter(({ type }) => type === "second_board").map(({ cards }) => cards.join(" "));
  assert.deepEqual(second([{ type: "acted" }, board, board, twice]), ["2s 3s 4s 5c", "2s 3s 4s 5c 6c"]);
  assert.deepEqual(second([board, { type: "acted" }, { ...board, cards: ["2s", "3s", "4s"] }, board, board, twice]), ["2s 3s 4s", "2s 3s 4s 5c", "2s 3s 4s 5c 6c"]);
  assert.equal(kinds([{ type: "acted" }, board, twice]), "acted pots board second_board hand_end");
  // Where the first one was seen before, there is nothing to wait for.
  assert.deepEqual(second([twice]), []);
  assert.deepEqual(withRunOut([{ type: "shown" }, board, end])[1], { type: "pots", pots: [{ amount: 9, seats: [0, 1] }] });
});

test("who plays skips what waits too long but the last result, who looks on hurries after it", () => {
  const board = { type: "board", street: 1, cards: [] };
  const end = { type: "hand_end", pots: [] };
  const time = (message, waiting, me, speed = 1) => displayTime(message, Array(waiting).fill(board), speed, me);
  assert.equal(time(board, 12, 0), time(board, 12, -1));
  assert.equal(time(board, 13, 0), 0);
  assert.equal(time(board, 120, -1), time(board, 0, -1) / 10);
  assert.deepEqual([time(end, 40, 0), time(end, 40, 0, 2), time(end, 40, 0, 0)], [1500, 3000, 0]);
  // Many short hands that I only wait for are no reason to fall behind for ever.
  assert.equal(displayTime(end, [...Array(12).fill(board), end], 1, 0), 0);
});

test("my turn does not wait for a result longer than a quarter of its time", (t) => {
  globalThis.document = { hidden: false };
  let now = 0;
  let timer = { run: () => undefined, at: 0 };
  t.mock.method(performance, "now", () => now);
  t.mock.method(globalThis, "setTimeout", (run, time) => {
    timer = { run, at: now + time };
    return 1;
  });
  const shown = (time_ms) => {
    const times = {};
    now = 0;
    const playback = new MessagePlayback(({ type }) => { times[type] = now; }, () => ({ speed: 2, me: 0 }));
    playback.push([{ type: "hand_end", pots: [] }], now);
    now = 100;
    playback.push([...Array(20).fill({ type: "acted", seat: 1 }), { type: "turn", time_ms }], now);
    while (playback.queue.length) {
      now = timer.at;
      timer.run();
    }
    return times;
  };
  assert.equal(shown(4_000).turn, 1_100);
  const { turn, acted } = shown(20_000);
  assert.deepEqual([turn, acted], [5_100, 5_100]);
  assert.equal(shown(80_000).turn, 3_000 + 12 * 900);
  // What lies face up does so from the start.
  const started = [];
  new MessagePlayback(({ type }) => started.push(type), () => ({ speed: 1, me: -1 })).push(["hand_start", "faceup", "acted"].map((type) => ({ type })), now);
  assert.deepEqual(started, ["hand_start", "faceup"]);
  delete globalThis.document;
});

test("bots take all seats of an exhibition, and four sit in the human test", () => {
  assert.deepEqual(fillSeats(["call", "raise"], 5, BASIC_BOTS), ["call", "raise", "call", "raise", "call"]);
  assert.deepEqual(fillSeats([], 5, BASIC_BOTS), ["fair", "call", "raise", "random", "fair"]);
  assert.equal(fillSeats(["call", "call", "call"], 2, BASIC_BOTS).length, 3);
  const form = new FormData();
  for (const [name, value] of Object.entries({ opponent: "raise", forget: "series" })) form.set(name, value);
  const { seats, bots, stack, matches, mode, memory, research } = tenTournaments(form);
  assert.deepEqual([seats, bots, stack, matches, mode], [5, Array(4).fill("raise"), 1000, 10, "tournament"]);
  assert.deepEqual([memory, research], ["series", false]);
  form.set("research", "on");
  assert.ok(tenTournaments(form).research);
});

test("the human test is against the bot of its author, and a learner keeps what it has learned", () => {
  assert.deepEqual([["fair", "adaptive"], ["fair", "call"], []].map(firstOpponent), ["adaptive", "fair", ""]);
  assert.deepEqual(["learner", "adaptive"].map(usualMemory), ["series", "match"]);
});

test("a result can be kept of one person against bots in tournaments", () => {
  const alone = { type: "create", mode: "tournament", seats: 3, bots: ["call", "fair"] };
  assert.ok(canKeepResult(alone));
  for (const other of [{ mode: "cash" }, { seats: 4 }, { bots: ["call", "call", "call"] }]) assert.ok(!canKeepResult({ ...alone, ...other }));
});

test("bots are offered in the order of the server, with their strength, strangers with what they do", async () => {
  const descriptions = { loki2: "plays", shark: "bites", fair: "plays well" };
  globalThis.fetch = async () => Response.json({ bots: ["fair", "loki2", "shark"], descriptions });
  assert.equal(describeBot("shark"), "shark");
  await loadBots((bots) => assert.deepEqual(bots, ["loki2", "shark", "fair"]));
  assert.deepEqual(["fair", "shark", "aaa"].map(describeBot), ["Vera (fair): 5 of 5 stars", "shark: bites", "aaa"]);
});

test("a form asks for the parameters that it changes, as what they are", async () => {
  const parameters = [["raise_at", "number", 0.55], ["trials", "whole", 500], ["mu", "numbers", [0.02]], ["safe", "switch", true],
    ["model", "choice", "own"]].map(([name, kind, usual]) => ({ name, kind, default: usual }));
  globalThis.fetch = async () => Response.json({ bots: ["aaa", "bbb"], descriptions: {}, parameters: { aaa: parameters } });
  await loadBots(() => {});
  const read = (some) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(some)) form.set(`here.${name}`, value);
    return readBot(form, "here", "aaa");
  };
  assert.equal(read({}), "aaa");
  assert.equal(read({ raise_at: "0.550", trials: "500", mu: "0.02", safe: "true", model: "own" }), "aaa");
  const changed = { raise_at: "0.6", trials: "20", mu: "0.1, 0.2 0.3 .4", safe: "false", model: "other" };
  const values = { raise_at: 0.6, trials: 20, mu: [0.1, 0.2, 0.3, 0.4], safe: false, model: "other" };
  assert.deepEqual(read(changed), { bot: "aaa", parameters: values });
  assert.equal(parametersText(values), "raise_at 0.6, trials 20, mu 0.1 0.2 0.3 0.4, safe false, model other");
  const form = new FormData();
  form.set("bbb.raise_at", "1");
  assert.equal(readBot(form, "bbb", "bbb"), "bbb");
});

test("a form asks for as many of each bot as it says", () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ seats: 6, fair: 1, loki2: 2, aaa: 1, mode: "cash" })) form.set(name, String(value));
  assert.deepEqual(readCreateForm(form, ["fair", "call", "loki2", "aaa"]).bots, ["fair", "loki2", "loki2", "aaa"]);
  assert.equal(readCreateForm(form, ["fair"]).private, undefined);
  form.set("private", "on");
  assert.equal(readCreateForm(form, ["fair"]).private, true);
  const show = new FormData();
  for (const [name, value] of Object.entries({ seats: 2, exhibition: "on" })) show.set(name, String(value));
  assert.deepEqual(readCreateForm(show, ["fair", "aaa"]).bots, ["fair", "aaa"]);
});

test("at a practice table there is a bot in every seat but mine", () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ seats: 6, fair: 2, mode: "cash", practice: "on" })) form.set(name, String(value));
  const request = readCreateForm(form, ["fair", "call"]);
  assert.deepEqual([request.practice, request.seats, request.bots], [true, 3, ["fair", "fair"]]);
  const fields = [{ mode: "tournament" }, { bots: [] }, {}].map((more) => findConflict({ ...request, small_blind: 5, big_blind: 10, stack: 100, ...more })?.field);
  assert.deepEqual(fields, ["practice", "practice", undefined]);
});

test("what does not go together is known before the server is asked", () => {
  const request = { type: "create", small_blind: 5, big_blind: 10, ante: 0, stack: 20, seats: 2, bots: ["call", "call"], mode: "cash" };
  assert.equal(findConflict(request), null);
  for (const [field, more] of [["small_blind", { small_blind: 11 }], ["ante", { ante: 11 }], ["stack", { ante: 1 }], ["stack", { stack: 19 }],
    ["bots", { seats: 1 }], ["depth", { depth: [1, 10], mode: "tournament" }]]) {
    assert.equal(findConflict({ ...request, ...more })?.field, field);
  }
  assert.equal(findConflict({ ...request, stack: 2, depth: [1, 10] }), null);
});

test("a seed is compared with its commitment", async () => {
  const commitment = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925";
  assert.equal(await matchesCommitment("00".repeat(32), commitment), true);
  assert.equal(await matchesCommitment("01".repeat(32), commitment), false);
  assert.equal(await matchesCommitment("", commitment), null);
});
