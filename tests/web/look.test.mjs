// Bots as people know them, their strength as it was measured, chips and names of tables.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { CHARACTERS, STRENGTHS, ofLevel, programOf, shownNames, strengthOf } from "../../clients/web/look/characters.js";
import { chipsOf } from "../../clients/web/look/chip_values.js";
import { tableName } from "../../clients/web/look/table_names.js";
import { ordinal } from "../../clients/web/lib/language.js";

test("strengths are those of the competition", () => {
  const file = new URL("../../docs/reproduction/house-bots/standings.json", import.meta.url);
  const { divisions } = JSON.parse(readFileSync(file, "utf8"));
  const measured = divisions[0].without_luck.ranking.map(({ bot, rate }) => [bot, [Math.round(rate.mbb), Math.round(rate.ci95)]]);
  assert.deepEqual(STRENGTHS, Object.fromEntries(measured));
});

test("every bot was measured, whoever wins more has no fewer stars, and a stranger has none", () => {
  assert.deepEqual(Object.keys(CHARACTERS).filter((bot) => !strengthOf(bot)), []);
  const order = Object.keys(STRENGTHS).sort((one, other) => STRENGTHS[other][0] - STRENGTHS[one][0]);
  const stars = order.map((bot) => strengthOf(bot)?.stars ?? 0);
  assert.deepEqual(stars, stars.toSorted((one, other) => other - one));
  assert.equal(stars[0], 5);
  assert.equal(stars.at(-1), 1);
  assert.equal(strengthOf("stranger"), null);
  assert.deepEqual(ofLevel(["call", "fair", "hbb1", "hbb6"], "strong"), ["fair", "hbb6"]);
});

test("whoever is built from a published paper leads to it", () => {
  // Theses and reports of which no lasting address is known.
  const unpublished = new Set(["Glöckner 2013", "Aceituno 2017", "Czarny and Schumann 2009", "Funke 2015"]);
  const bare = Object.values(CHARACTERS).filter(({ source, link }) => !link?.startsWith("https://") && !unpublished.has(source));
  assert.deepEqual(bare.map(({ name }) => name), []);
});

test("no two bots share a name or a face", () => {
  const all = Object.values(CHARACTERS);
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  assert.equal(new Set(all.map(({ look }) => JSON.stringify(look))).size, all.length);
});

test("bots are called by their characters, people as they like", () => {
  assert.deepEqual(shownNames(["fair-1", "Ann", "call-12", ""], ["bot", "person", "bot", ""]), ["Vera", "Ann", "Carl", ""]);
  assert.deepEqual(shownNames(["fair-1", "call-1", "fair-3"], ["bot", "bot", "bot"]), ["Vera 1", "Carl", "Vera 2"]);
  // Nobody passes for a bot by its name.
  assert.deepEqual(shownNames(["fair-1", "vera"], ["bot", "person"]), ["fair-1", "vera"]);
  assert.deepEqual(shownNames(["call-1", "CARL 2"], ["bot", "person"]), ["call-1", "CARL 2"]);
  assert.deepEqual(shownNames(["call-1", "Carla"], ["bot", "person"]), ["Carl", "Carla"]);
  assert.deepEqual(shownNames(["fair-1", "toString-1"], ["", "bot"]), ["fair-1", "toString-1"]);
  assert.equal(programOf("cfr+river-2"), "cfr+river");
  assert.equal(programOf("fair"), "");
});

test("chips make up the amount, the dearest first", () => {
  assert.equal(new Set(chipsOf(131)).size, 4);
  assert.equal(chipsOf(131).length, 1 + 1 + 1 + 1);
  assert.deepEqual(chipsOf(0), []);
  assert.ok(chipsOf(999_999_999).length <= 12);
});

test("tables have names", () => {
  assert.equal(tableName({ table: "table-1", name: "Friday" }), "Friday");
  assert.equal(tableName({ table: "table-1", name: "Hands of 2026-11-26" }), "Hands of 26 November 2026");
  assert.equal(tableName({ table: "private-0123456789abcdef0123-1" }), tableName({ table: "table-1" }));
  const names = Array.from({ length: 100 }, (_, at) => tableName({ table: `table-${at + 1}` }));
  assert.equal(new Set(names).size, 100);
  assert.equal(tableName({ table: "final" }), "final");
  // On its own page, as in the lobby.
  assert.equal(tableName({ table: "table-1", name: "table-1" }), tableName({ table: "table-1", name: "" }));
});

test("places are ordinals", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd"]);
});
