import assert from "node:assert/strict";
import { test } from "node:test";

let copies = 0;

/** A copy of the module as a page in that language has it. */
async function speaking(lang, catalogue) {
  globalThis.document = { documentElement: { lang } };
  globalThis.fetch = async (address) => {
    assert.match(String(address), new RegExp(`/locales/${lang}\\.json$`));
    return { json: async () => catalogue };
  };
  return import(`../../clients/web/lib/language.js?${copies += 1}`);
}

test("a text is the catalogue's, with values, or English", async () => {
  const { _, pgettext } = await speaking("de", { "You have {hand}": "Deine Hand: {hand}", "a card\u0004Show": "Zeige" });
  assert.equal(_("You have {hand}", { hand: "Paar" }), "Deine Hand: Paar");
  assert.equal(_("Something new: {hand}", { hand: "Paar" }), "Something new: Paar");
  assert.equal(_("constructor"), "constructor");
  assert.equal(pgettext("a card", "Show"), "Zeige");
  assert.equal(pgettext("in the log", "Show"), "Show");
  const drawn = { drawn: true };
  assert.deepEqual(_("You have {hand}", { hand: drawn }), ["Deine Hand: ", drawn, ""]);
});

test("plurals have as many forms as the language", async () => {
  const hands = (l) => [0, 1, 2, 5, 1.5, 1200].map((n) => l.ngettext("{n} hand", "{n} hands", n));
  assert.deepEqual(hands(await speaking("fr", { "{n} hand": ["{n} main", "{n} mains"] })),
    ["0 main", "1 main", "2 mains", "5 mains", "1,5 main", "1\u202f200 mains"]);
  assert.deepEqual(hands(await speaking("de", { "{n} hand": ["{n} Hand", "{n} Hände"] })),
    ["0 Hände", "1 Hand", "2 Hände", "5 Hände", "1,5 Hände", "1.200 Hände"]);
  assert.deepEqual(hands(await speaking("pl", { "{n} hand": ["{n} ręka", "{n} ręce", "{n} rąk"] })),
    ["0 rąk", "1 ręka", "2 ręce", "5 rąk", "1,5 rąk", "1200 rąk"]);
  assert.deepEqual(hands(await speaking("eo", {})).slice(0, 3), ["0 hands", "1 hand", "2 hands"]);
});

test("numbers are read as people of the language type them", async () => {
  const typed = ["1,500", "1.500", "1.5", "1,5", "1 500", "12.34.5", "x", "-1", ""];
  assert.deepEqual(typed.map((await speaking("en", {})).parseNumber), [1500, 1.5, 1.5, 15, 1500, NaN, NaN, NaN, NaN]);
  assert.deepEqual(typed.map((await speaking("de-DE", {})).parseNumber), [1.5, 1500, 1.5, 1.5, 1500, NaN, NaN, NaN, NaN]);
  const { parseNumber, typedNumber } = await speaking("es", {});
  for (const number of [0.5, 20, 1234.25, 1e6]) assert.equal(parseNumber(typedNumber(number)), number);
});

test("a number below nothing has a minus, not a hyphen", async () => {
  assert.equal((await speaking("en", {})).fixedNumber(-1234.56), "−1,234.6");
  assert.equal((await speaking("de", {})).fixedNumber(-0.5, 2), "−0,50");
});
