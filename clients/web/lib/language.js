// The visitor's language: texts from its catalogue in ../locales, numbers, plurals. English texts are the keys.

/** The languages to choose from, and what they call themselves. */
export const LANGUAGES = /** @type {const} */ ([["en", "English"], ["de", "Deutsch"], ["es", "Español"], ["fr", "Français"]]);

/** The page's: the server has chosen it, as the visitor or his browser wishes. */
export const language = globalThis.document?.documentElement.lang || "en";

/** The same for dates, which we write with the day first. */
export const dates = language === "en" ? "en-GB" : language;

/** "26 November 2026". @param {string} day */
export const dayName = (day) => new Date(`${day}T00:00Z`).toLocaleDateString(dates, { dateStyle: "long", timeZone: "UTC" });

const PLURALS = new Intl.PluralRules(language);
const ORDINALS = new Intl.PluralRules(language, { type: "ordinal" });
/** The order that the forms of a plural have in catalogues. */
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"].filter((name) => PLURALS.resolvedOptions().pluralCategories.some((one) => one === name));
const NUMBERS = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });

/** @typedef {Readonly<Record<string, string | string[]>>} Catalogue */
const catalogue = language === "en" ? {} : await loadCatalogue();

/** Without an answer the page speaks English. @returns {Promise<Catalogue>} */
async function loadCatalogue() {
  try {
    return await (await fetch(new URL(`../locales/${language}.json`, import.meta.url))).json();
  } catch {
    return {};
  }
}

/**
 * A text in the visitor's language, with `{name}` replaced. Where a value is something to draw, so is the result.
 * @overload
 * @param {string} text in English; a literal, which the test for holes finds, or what the server says
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
/**
 * @overload
 * @param {string} text
 * @param {Readonly<Record<string, unknown>>} values
 * @returns {unknown}
 */
/** @param {string} text @param {Readonly<Record<string, unknown>>} [values] @returns {any} */
export function _(text, values) {
  return fill(translation(text), values);
}

/**
 * The same for a text that means different things in different places.
 * @param {string} context a word or two about the place
 * @param {string} text
 */
export function pgettext(context, text) {
  const key = `${context}\u0004${text}`;
  return Object.hasOwn(catalogue, key) ? translation(key) : text;
}

/**
 * "1 hand", "1,200 hands": `{n}` is the number.
 * @overload
 * @param {string} one
 * @param {string} other
 * @param {number} n
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
/**
 * @overload
 * @param {string} one
 * @param {string} other
 * @param {number} n
 * @param {Readonly<Record<string, unknown>>} values
 * @returns {unknown}
 */
/** @param {string} one @param {string} other @param {number} n @param {Readonly<Record<string, unknown>>} [values] @returns {any} */
export function ngettext(one, other, n, values) {
  const known = catalogue[one];
  const forms = Array.isArray(known) ? known : [one, other];
  const form = forms[Math.min(CATEGORIES.indexOf(PLURALS.select(n)), forms.length - 1)] ?? other;
  return fill(form, { n: NUMBERS.format(n), ...values });
}

/** A text under a title, on one line: "Board: empty". @param {string} title @param {string} text */
export const titled = (title, text) => _("{title}: {text}", { title, text });

/** "1st", "2nd", "3rd", "11th". @param {number} place */
export function ordinal(place) {
  const n = place;
  return { one: _("{n}st", { n }), two: _("{n}nd", { n }), few: _("{n}rd", { n }) }[/** @type {string} */ (ORDINALS.select(place))] ?? _("{n}th", { n });
}

/** @param {string} key */
function translation(key) {
  const found = Object.hasOwn(catalogue, key) ? catalogue[key] : key;
  return String(found);
}

/** @param {string} text @param {Readonly<Record<string, unknown>>} [values] */
function fill(text, values) {
  if (!values) return text;
  const parts = text.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? values[part] : part));
  return parts.every((part) => typeof part === "string" || typeof part === "number") ? parts.join("") : parts;
}

/** "1,234.5" or "−0.5", always with so many decimals. @param {number} value */
export const fixedNumber = (value, digits = 1) => value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "\u2212");

/** "12 %", "<1 %", ">99 %". @param {number} chance */
export function percent(chance) {
  if (0.99 < chance && chance < 1) return ">99\u00a0%";
  return 0 < chance && chance < 0.01 ? "<1\u00a0%" : `${Math.round(100 * chance)}\u00a0%`;
}

/** What stands before the decimals. */
const POINT = NUMBERS.format(0.5).charAt(1);

/** A number as people here type it, "1,500.5" or "1.500,5"; NaN for anything else. @param {string} text */
export function parseNumber(text) {
  const dense = text.trim().replace(/[\s'_\u00a0\u202f]/g, "");
  // "1.5" is what people type who mean "1,5".
  const grouped = /^\d{1,3}(\.\d{3})+(,\d*)?$/.test(dense);
  const plain = POINT === "." ? dense.replaceAll(",", "") : (grouped ? dense.replaceAll(".", "") : dense).replace(",", ".");
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}

/** A number as people here type it: without groups. @param {number} value @param {number} [digits] after the point, at most */
export const typedNumber = (value, digits = 2) => value.toLocaleString(language, { useGrouping: false, maximumFractionDigits: digits });

/** Remembers the choice for a year, and shows the page in that language. @param {string} chosen */
export function chooseLanguage(chosen) {
  document.cookie = `language=${chosen}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}
