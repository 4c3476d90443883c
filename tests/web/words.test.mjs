import assert from "node:assert/strict";
import { test } from "node:test";

import { cardName, cardNames, list, rank, sign, suit } from "../../clients/web/lib/cards.js";
import {
  amount, brief, counted, deed, ending, gameWords, names, parts, plain, potName, refusal, signed, spoken, streetName, who,
} from "../../clients/web/lib/words.js";
import { GAME, at, dealt, matchStart, play } from "./deal.mjs";

test("every card of the deck has its own name", () => {
  const deck = [..."23456789TJQKA"].flatMap((one) => [..."shdc"].map((other) => one + other));
  assert.equal(new Set(deck.map(cardName)).size, 52);
  assert.equal(cardName("Th"), "ten of hearts");
  assert.equal(cardName("??"), "unknown card of an unknown suit");
  assert.equal(rank("Th"), "10");
  assert.equal(rank("Ah"), "A");
  assert.equal(rank(""), "?");
  assert.equal(suit("Ah"), "h");
  assert.equal(sign("Ah"), "\u2665\ufe0e");
  assert.equal(sign("A?"), "?");
  assert.equal(cardNames(["Ah", "Kd"]), "ace of hearts and king of diamonds");
  assert.equal(list(["a", "b", "c"]), "a, b and c");
  assert.equal(list([]), "");
});

test("amounts are grouped, in chips or big blinds", () => {
  assert.equal(amount(1234567), "1,234,567");
  assert.equal(amount(0.5), "0.5");
  assert.equal(amount(1550, 100), "15.5 BB");
  assert.equal(signed(1500), "+1,500");
  assert.equal(signed(-20), "\u221220");
  assert.equal(signed(0), "0");
  assert.deepEqual([999999, 1234567, 1e9].map((chips) => brief(chips)), ["999,999", "1.235M", "1B"]);
  assert.deepEqual([50, 1234567, 1e9].map((chips) => brief(chips, 100)), ["0.5 BB", "12,346 BB", "10M BB"]);
  assert.deepEqual([counted(1, "hand"), counted(1200, "match")], ["1 hand", "1,200 matches"]);
});

test("deeds are said of others and of me", () => {
  const raise = { kind: "raise", to: 120, paid: 100, allIn: true, forced: "" };
  assert.equal(deed(raise, false), "raises to 120, all in");
  assert.equal(deed(raise, true, 10), "raise to 12 BB, all in");
  assert.equal(deed({ kind: "fold", to: 0, paid: 0, allIn: false, forced: "timeout" }, false), "folds, out of time");
  assert.equal(deed({ kind: "check", to: 0, paid: 0, allIn: false, forced: "absent" }, false), "checks, sitting out");
});

test("streets, games and pots have names", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((street) => streetName(street, GAME)),
    ["Before the flop", "Flop", "Turn", "River", "Round 5"]);
  const leduc = { ...GAME, name: "leduc", board_cards: [0, 1], rounds: 2, hole_cards: 1, betting: "limit", ante: 1 };
  assert.deepEqual([0, 1].map((street) => streetName(street, leduc)), ["First round", "Round 2"]);
  assert.equal(gameWords(play(matchStart())), "No-limit hold'em 5/10");
  assert.equal(gameWords(play(matchStart({ game: leduc }))), "Limit leduc 5/10, ante 1");
  assert.equal(gameWords(play(matchStart(), at({ type: "level", seq: 1, small_blind: 50, big_blind: 100, ante: 0 }))),
    "No-limit hold'em 50/100");
  assert.equal(gameWords(play()), "");
  assert.deepEqual([potName(0, 1), potName(0, 2), potName(1, 2), potName(2, 3)], ["Pot", "Main pot", "Side pot", "Side pot 2"]);
});

test("people are named, I am you", () => {
  const state = dealt();
  assert.equal(who(state, 2), "You");
  assert.equal(who(state, 0), "Anna");
  assert.equal(who(state, 7), "Seat 8");
  assert.equal(names(state, [0, 2]), "Anna and you");
});

test("a line is spoken, copied and drawn", () => {
  const line = "Flop: \u00012c \u00013d";
  assert.equal(spoken(line), "Flop: two of clubs, three of diamonds");
  assert.equal(plain(line), "Flop: 2c 3d");
  assert.deepEqual(parts(line), ["Flop: ", { card: "2c" }, " ", { card: "3d" }]);
});

test("refusals and endings are kind, and unknown ones are the server's words", () => {
  assert.match(refusal("stale_turn", "x"), /already acted/);
  assert.equal(refusal("already_seated", "x"), "");
  assert.equal(refusal("new_code", "something happened"), "Something happened");
  assert.equal(refusal("bad_table", "small_blind: at most the big blind", "small_blind"), "At most the big blind");
  assert.match(ending("complete", 3), /after 3 hands/);
  assert.match(ending("complete", 1), /after 1 hand$/);
  assert.equal(ending("new", 3), "The match is over");
});
