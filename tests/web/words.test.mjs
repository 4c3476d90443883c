import assert from "node:assert/strict";
import { test } from "node:test";

import { cardName, cardNames, joinWords, rankText, suitSymbol, suitLetter } from "../../clients/web/lib/cards.js";
import {
  amount, shortAmount, actionText, matchEndText, gameText, playerNames, splitCards, toPlainText, handPhrase, potName, signed, signedNumber, toSpeech, stakesText, streetName, playerName,
} from "../../clients/web/lib/words.js";
import { ngettext } from "../../clients/web/lib/language.js";
import { errorText } from "../../clients/web/lib/refusals.js";
import { GAME, at, dealt, matchStart, play } from "./deal.mjs";

test("every card of the deck has its own name", () => {
  const deck = [..."23456789TJQKA"].flatMap((one) => [..."shdc"].map((other) => one + other));
  assert.equal(new Set(deck.map(cardName)).size, 52);
  assert.equal(cardName("Th"), "ten of hearts");
  assert.equal(cardName("??"), "unknown card of an unknown suit");
  assert.equal(rankText("Th"), "10");
  assert.equal(rankText("Ah"), "A");
  assert.equal(rankText(""), "?");
  assert.equal(suitLetter("Ah"), "h");
  assert.equal(suitSymbol("Ah"), "\u2665\ufe0e");
  assert.equal(suitSymbol("A?"), "?");
  assert.equal(cardNames(["Ah", "Kd"]), "ace of hearts and king of diamonds");
  assert.equal(joinWords(["a", "b", "c"]), "a, b and c");
  assert.equal(joinWords([]), "");
});

test("amounts are grouped, in chips or big blinds", () => {
  assert.equal(amount(1234567), "1,234,567");
  assert.equal(amount(0.5), "0.5");
  assert.deepEqual([1550, 45, 200].map((chips, at) => amount(chips, [100, 20, 30][at])), ["15.5 BB", "2.25 BB", "6.67 BB"]);
  assert.equal(signed(1500), "+1,500");
  assert.equal(signed(-20), "\u221220");
  assert.equal(signed(0), "0");
  assert.deepEqual([0, -0.04, 7, 12.34].map((value) => signedNumber(value)), ["0", "0", "+7", "+12.3"]);
  assert.deepEqual([1234.567, -20, -0.001, -1200.25].map((value) => signedNumber(value, 2)), ["+1,234.57", "\u221220", "0", "\u22121,200.25"]);
  assert.deepEqual([999999, 1234567, 1e9].map((chips) => shortAmount(chips)), ["999,999", "1.235M", "1B"]);
  assert.deepEqual([50, 1234567, 1e9].map((chips) => shortAmount(chips, 100)), ["0.5 BB", "12,346 BB", "10M BB"]);
  assert.deepEqual([1, 1200].map((many) => ngettext("{n} hand", "{n} hands", many)), ["1 hand", "1,200 hands"]);
});

test("actions are worded for others and for me", () => {
  const raise = { kind: "raise", to: 120, paid: 100, allIn: true, forced: "" };
  assert.equal(actionText(raise), "raises to 120, all in");
  assert.equal(actionText(raise, 10), "raises to 12 BB, all in");
  assert.equal(actionText({ kind: "fold", to: 0, paid: 0, allIn: false, forced: "timeout" }), "folds, out of time");
  assert.equal(actionText({ kind: "check", to: 0, paid: 0, allIn: false, forced: "absent" }), "checks, sitting out");
});

test("streets, games and pots have names", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((street) => streetName(street, GAME)),
    ["Before the flop", "Flop", "Turn", "River", "Round 5"]);
  const leduc = { ...GAME, name: "leduc", board_cards: [0, 1], rounds: 2, hole_cards: 1, betting: "limit", ante: 1 };
  assert.deepEqual([0, 1].map((street) => streetName(street, leduc)), ["First round", "Round 2"]);
  assert.equal(gameText(play(matchStart())), "No-limit hold'em 5/10");
  assert.equal(stakesText("limit hold'em 5000/10000, ante 10"), "limit hold'em 5,000/10,000, ante 10");
  assert.equal(gameText(play(matchStart({ game: leduc }))), "Limit leduc 5/10, ante 1");
  assert.equal(gameText(play(matchStart(), at({ type: "level", seq: 1, small_blind: 50, big_blind: 100, ante: 0 }))),
    "No-limit hold'em 50/100");
  assert.equal(gameText(play()), "");
  assert.deepEqual([potName(0, 1), potName(0, 2), potName(1, 2), potName(2, 3)], ["Pot", "Main pot", "Side pot", "Side pot 2"]);
});

test("hands are named as people say them", () => {
  assert.deepEqual(["pair, tens, king kicker", "high card, ace", "two pair, tens and fours", "three of a kind, sixes", "straight, ace high",
    "flush, king high", "full house, tens over fours", "four of a kind, twos", "straight flush, nine high", "royal flush"].map(handPhrase),
  ["a pair of tens, king kicker", "ace high", "two pair, tens and fours", "three of a kind, sixes", "a straight, ace high",
    "a flush, king high", "a full house, tens over fours", "four of a kind, twos", "a straight flush, nine high", "a royal flush"]);
});

test("people are named, I am you", () => {
  const state = dealt();
  assert.equal(playerName(state, 2), "You");
  assert.equal(playerName(state, 0), "Anna");
  assert.equal(playerName(state, 7), "Seat 8");
  assert.equal(playerNames(state, [0, 2]), "Anna and you");
});

test("a line is spoken, copied and drawn", () => {
  const line = "Flop: \u00012c \u00013d";
  assert.equal(toSpeech(line), "Flop: two of clubs, three of diamonds");
  assert.equal(toPlainText(line), "Flop: 2c 3d");
  assert.deepEqual(splitCards(line), ["Flop: ", { card: "2c" }, " ", { card: "3d" }]);
});

test("refusals and endings are kind, and unknown ones are the server's words", () => {
  assert.match(errorText("stale_turn", "x"), /already acted/);
  assert.equal(errorText("already_seated", "x"), "");
  assert.equal(errorText("new_code", "something happened"), "Something happened");
  assert.equal(errorText("bad_table", "small_blind: at most the big blind", "small_blind"), "At most the big blind");
  assert.equal(errorText("server_full", "4 tables that you opened are open already"), "4 tables that you opened are open already");
  assert.equal(errorText("illegal_action", "the smallest raise is to 45"), "The smallest raise is to 45");
  assert.equal(errorText("illegal_action", "the smallest raise is to 45", "", 20), "The smallest raise is to 2.25 BB");
  assert.equal(errorText("illegal_action", "30 to call", "", 20), "1.5 BB to call");
  assert.match(matchEndText("complete", 3), /after 3 hands/);
  assert.match(matchEndText("complete", 1), /after 1 hand$/);
  assert.equal(matchEndText("new", 3), "The match is over");
});
