// Faces of bots, drawn of a few parts; people have the first letter of their name.

import { CHARACTERS, programOf } from "./characters.js";
import { _ } from "../lib/language.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";

/** @import {Look} from "./characters.js" */

const GROUNDS = ["#3f7cac", "#c8553d", "#5b8e7d", "#8e5572", "#d9a441", "#4d5382", "#2a7f8e", "#a23e48"];
const SKINS = ["#f6d3b3", "#e8b48c", "#c98d62", "#9c6440", "#f2c7a0", "#77492f", "#dba77a"];
const HAIRS = ["#2b2320", "#5a3825", "#a8672f", "#dcb35c", "#7c7f86", "#b23a2e", "#37506b"];
/** Heads: an outline from ear to ear round the chin, in a box of 64 by 64. */
const HEADS = [
  "M18 29a14 15 0 0 1 28 0v5a14 16 0 0 1-28 0z",
  "M17 28a15 14 0 0 1 30 0v8q0 14-15 14t-15-14z",
  "M18 27a14 14 0 0 1 28 0v7q-1 9-8 16-6 4-12 0-7-7-8-16z",
];
/** What lies before the face, and what behind it. */
const FRONT_HAIR = [
  "M17 29q-1-18 15-18t15 18q-4-9-9-11-10 5-18 4-2 3-3 7z",
  "M16 31q-3-21 16-22 19 1 16 22-3-10-11-14-10 8-18 7-2 3-3 7z",
  "M18 25q3-11 14-11t14 11q-6-6-14-6t-14 6z",
  "M15 30q-2-20 17-20t17 20q-2-8-7-11-5 4-20 3-5 2-7 8z",
  "M17 28q0-17 15-17t15 17q-6-9-15-9t-15 9z",
  "M16 29l1-11 5 2 2-8 6 5 4-7 5 7 6-2 1 7 3 1-1 8q-5-8-16-8t-16 6z",
  "M16 31q-2-21 18-21 15 2 14 21-3-7-6-10-14 1-20-4-3 6-6 14z",
  "M16 27a5 5 0 0 1 1-9 6 6 0 0 1 7-6 7 7 0 0 1 11-1 6 6 0 0 1 9 4 6 6 0 0 1 4 8 4 4 0 0 1-1 6q-6-9-15-9t-16 7z",
  "M17 28q-1-12 5-15 5-4 15-2 11 2 10 17-1-5-4-8-9 1-13-2-8 1-13 10z",
];
const BACK_HAIR = ["", "M14 30q-1-22 18-22t18 22l2 18H12z", "", "M15 28q-2-20 17-20t17 20l-1 14H16z", "M26 12a6 7 0 0 1 12 0z", "",
  "M13 28q-1-20 19-20t19 20q2 12-2 22H15q-4-10-2-22z", "M13 30a10 10 0 0 1 8-18 12 12 0 0 1 22 0 10 10 0 0 1 8 18z", ""];
const MOUTHS = ["M27 42q5 3 10 0", "M26 41q6 6 12 0", "M27 43h10", "M26 42q7 2 12-2"];

/** @param {number} kind */
function eyes(kind) {
  const wide = kind === 1;
  const brows = ["M23 27q3-2 6 0M35 27q3-2 6 0", "M23 25q3-2 6-1M35 24q3-1 6 1", "M23 26l6 2M41 26l-6 2", "M23 27h6M35 27h6"][kind];
  return svg`<path d=${brows ?? ""} class="line" />
    ${kind === 3 ? svg`<path d="M24 32q2 2 4 0M36 32q2 2 4 0" class="line" />`
      : svg`<circle cx="26" cy="32" r=${wide ? 2.2 : 1.7} /><circle cx="38" cy="32" r=${wide ? 2.2 : 1.7} />`}`;
}

/** What somebody wears: nothing, glasses, a beard, earrings, a moustache, a cap, a scarf. @param {number} kind @param {string} hair */
function extra(kind, hair) {
  switch (kind) {
    case 1: return svg`<g class="line"><circle cx="26" cy="32" r="4.6" /><circle cx="38" cy="32" r="4.6" /><path d="M30.6 31.5q1.4-1 2.8 0" /></g>`;
    case 2: return svg`<path d="M18.5 36q2 15 13.5 16 11.5-1 13.5-16-3 2-5 2-8-3-17 0-2 0-5-2zM27 42.5q5 2 10 0-5 4-10 0z" fill=${hair} fill-rule="evenodd" />`;
    case 3: return svg`<circle cx="17.5" cy="40" r="2" fill="#ffd45e" /><circle cx="46.5" cy="40" r="2" fill="#ffd45e" />`;
    case 4: return svg`<path d="M24 40q4-4 8-1.5 4-2.5 8 1.5-4 1-8-.5-4 1.5-8 .5z" fill=${hair} />`;
    case 5: return svg`<path d="M16 22q2-14 17-13 13 1 14 13zM40 19q10 0 12 5l-36-2z" fill="#fdf6e3" stroke="#00000040" />`;
    default: return nothing;
  }
}

/**
 * A face, as large as its element; it says nothing, as the name stands beside it.
 * @param {Look} look
 */
function face({ head, hair, eyes: eye, mouth, extra: worn, skin, hue, ground }) {
  const tone = SKINS[skin % SKINS.length] ?? "";
  const colour = HAIRS[hue % HAIRS.length] ?? "";
  return html`<svg class="face" viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="32" fill=${GROUNDS[ground % GROUNDS.length] ?? ""} />
    <path d=${BACK_HAIR[hair] ?? ""} fill=${colour} />
    <path d="M10 64q2-13 16-14h12q14 1 16 14-10 4-22 4t-22-4z" fill="#00000038" clip-path="circle(32px at 32px 32px)" />
    <path d="M27 44h10v9q-5 4-10 0z" fill=${tone} /><path d=${HEADS[head] ?? ""} fill=${tone} />
    <path d="M31 33q-1 4-1.5 5.5 1.5 1 3 .5" class="line" />
    <path d=${MOUTHS[mouth] ?? ""} class="line" />
    <g>${eyes(eye)}</g>
    <path d=${FRONT_HAIR[hair] ?? ""} fill=${colour} />
    ${extra(worn, colour)}
  </svg>`;
}

/** The face of a program; nothing for a stranger. @param {string} program */
export function faceOf(program) {
  const character = CHARACTERS[program];
  return character ? face(character.look) : letter(program);
}

/** A person, or a program that we do not know: the first letter, on a colour that follows from the name. @param {string} name */
function letter(name) {
  const sum = [...name].reduce((total, sign) => (total * 31 + (sign.codePointAt(0) ?? 0)) % 9973, 7);
  return html`<span class="face letter" data-ground=${sum % GROUNDS.length} aria-hidden="true">${[...name][0]?.toUpperCase() ?? ""}</span>`;
}

/** @param {string} name @param {string} kind "bot" for a house bot */
export function avatar(name, kind) {
  const program = kind === "bot" ? programOf(name) : "";
  return program ? faceOf(program) : letter(name);
}

/** "★★★☆☆", read as "3 of 5 stars". @param {number} count */
export function stars(count) {
  return html`<span class="stars" role="img" aria-label=${_("{count} of 5 stars", { count })}>${"★".repeat(count)}<span class="dull">${"★".repeat(5 - count)}</span></span>`;
}
