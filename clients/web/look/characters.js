// Who the house bots are to people: a name, a face, a line of character, and what each is worth.

import { _ } from "../lib/language.js";

/**
 * @typedef {{head: number, hair: number, eyes: number, mouth: number, extra: number, skin: number, hue: number, ground: number}} Look
 * The parts of a face, by their number in `faces.js`.
 */
/**
 * `line` is what the bot is like in a sentence, `source` who described its method, `link` where to read that. `family` is the
 * bot whose strength stands for it, as it plays nearly the same.
 * @typedef {{name: string, line: string, look: Look, source: string, link?: string, family?: string}} Character
 */
/** @typedef {"easy" | "solid" | "strong"} Level */

/** @param {string} parts eight digits, in the order of `Look` @returns {Look} */
function look(parts) {
  const [head = 0, hair = 0, eyes = 0, mouth = 0, extra = 0, skin = 0, hue = 0, ground = 0] = [...parts].map(Number);
  return { head, hair, eyes, mouth, extra, skin, hue, ground };
}

const GLOECKNER = "Glöckner 2013";
const ACEITUNO = "Aceituno 2017";
const LOKI1 = { source: "Papp 1998; Peña 1999", link: "https://poker.cs.ualberta.ca/publications/papp.msc.pdf" };
const LOKI2 = { source: "Peña 1999", link: "https://poker.cs.ualberta.ca/publications/pena.msc.pdf" };
const CFR = {
  source: "Zinkevich et al. 2007", link: "https://proceedings.neurips.cc/paper/2007/hash/08d98638c6fcd194a4b1e6992063e944-Abstract.html",
};
const MAPPED = { source: GLOECKNER };

/** By program. @type {Readonly<Record<string, Character>>} */
export const CHARACTERS = {
  fair: { name: "Vera", line: _("Pays a fair price for her cards, and not a chip more."), look: look("01001401"), source: GLOECKNER },
  call: { name: "Carl", line: _("Wants to see what you have. Every single time."), look: look("12130530"), source: GLOECKNER },
  raise: { name: "Rosa", line: _("Has one gear, and it is forward."), look: look("23213124"), source: GLOECKNER },
  random: { name: "Dizzy", line: _("Rolls a die for every decision, and enjoys it."), look: look("07123255"), source: GLOECKNER },
  adaptive: { name: "Ada", line: _("Puts cards, seat and price on her kitchen scales."), look: look("14003310"), source: ACEITUNO },
  learner: { name: "Leo", line: _("Takes notes after every hand he loses."), look: look("05011062"), source: ACEITUNO },
  adaptive2: { name: "Ines", line: _("Remembers what you showed down, and bluffs when you fold too much."), look: look("26103423"), source: ACEITUNO },
  akuma: { name: "Akira", line: _("Plays the hand to its end a thousand times before he bets."), look: look("08201106"), source: "Czarny and Schumann 2009" },
  loki1: { name: "Sigrid", line: _("Reads your cards from the way you bet."), look: look("13100517"), ...LOKI1 },
  loki2: { name: "Torsten", line: _("Reads your cards, then dreams up how the hand may go."), look: look("22012243"), ...LOKI2 },
  "loki2-b": { name: "Bjarne", line: _("Reads you like Sigrid, but never bets the same way twice."), look: look("10234163"), ...LOKI2 },
  "loki2-r": { name: "Ragna", line: _("Like Sigrid, with a finer ear for your bets."), look: look("04021345"), ...LOKI2 },
  "loki2-br": { name: "Britta", line: _("Torsten's sister, who never daydreams."), look: look("16110554"), ...LOKI2 },
  "loki2-s": { name: "Solveig", line: _("Sigrid with a crystal ball."), look: look("21303236"), ...LOKI2 },
  cfr: { name: "Nadia", line: _("Learned poker by playing herself, millions of times. Hard to trap."), look: look("24200111"), ...CFR },
  "cfr+river": {
    name: "Rhea", line: _("Nadia's twin. On the river she stops to work it out."), look: look("24210117"), source: "Burch et al. 2014",
    link: "https://arxiv.org/abs/1303.4441", family: "cfr",
  },
  nolimit: {
    name: "Ludo", line: _("Knows a duel at any depth, and every size of bet."), look: look("17232442"), source: "Brown and Sandholm 2019",
    link: "https://arxiv.org/abs/1809.04040",
  },
  "nolimit+search": {
    name: "Lyra", line: _("Ludo's sister. On turn and river she works it out."), look: look("27240446"), source: "Burch et al. 2014",
    link: "https://arxiv.org/abs/1303.4441", family: "nolimit",
  },
  polaris: {
    name: "Pilar", line: _("Changes her game until she finds the one that beats yours."), look: look("15301437"), source: "Thompson 1933; Aceituno 2017",
    link: "https://doi.org/10.1093/biomet/25.3-4.285",
  },
  hbb6: {
    name: "Tristan", line: _("Grew up at tables of three; patient until then."), look: look("08031420"), source: "Lanctot et al. 2009",
    link: "https://proceedings.neurips.cc/paper/2009/hash/00411460f7c92d2124a67ea0f4cb5f85-Abstract.html",
  },
  ownbot: { name: "Otto", line: _("Waits for a duel, then plays it by the book."), look: look("12224351"), source: GLOECKNER },
  sartre: {
    name: "Simone", line: _("Counts raises. For her, hell is other people's re-raises."), look: look("01103206"), source: "Rubin and Watson 2012",
    link: "https://doi.org/10.3233/AIC-2012-0513",
  },
  pushfold: { name: "Max", line: _("All in or out. No small talk."), look: look("25212035"), source: "Funke 2015" },
  hbb1: { name: "Hugo", line: _("Plays three-handed as if somebody had left the table."), look: look("10001342"), ...MAPPED },
  hbb2: { name: "Hanna", line: _("Looks for the duel that went most like this."), look: look("03110413"), ...MAPPED },
  hbb3: { name: "Henrik", line: _("Looks for the duel with a pot like this."), look: look("28022164"), ...MAPPED },
  hbb4: { name: "Helga", line: _("Asks the price first, and then who raised."), look: look("14213556"), ...MAPPED },
  hbb5: { name: "Hector", line: _("Asks the price first, and forgets no old hand."), look: look("02130625"), ...MAPPED },
  "hbb5-max": { name: "Hester", line: _("Hector's aunt, who never changes her mind."), look: look("26313030"), ...MAPPED },
  "hybrid-hbb1": { name: "Yann", line: _("Fair until somebody folds, then Hugo."), look: look("05022101"), ...MAPPED },
  "hybrid-hbb2": { name: "Yara", line: _("Fair until somebody folds, then Hanna."), look: look("16100432"), ...MAPPED },
  "hybrid-hbb3": { name: "Yuri", line: _("Fair until somebody folds, then Henrik."), look: look("20204213"), ...MAPPED },
  "hybrid-hbb4": { name: "Yoko", line: _("Fair until somebody folds, then Helga."), look: look("04113054"), ...MAPPED },
  "hybrid-hbb5": { name: "Yves", line: _("Fair until somebody folds, then Hector."), look: look("18130325"), ...MAPPED },
};

/**
 * What each won in thousandths of a big blind a hand at no-limit tables of six, corrected for luck, and half the width of its
 * 95 % interval: of `docs/reproduction/house-bots/standings.json`, made by `python -m pokerd compete games/house-bots.toml`.
 * @type {Readonly<Record<string, readonly [number, number]>>}
 */
export const STRENGTHS = {
  fair: [6551, 2566],
  akuma: [6383, 1830],
  "hybrid-hbb1": [5847, 1666],
  "hybrid-hbb5": [5665, 1902],
  "loki2-b": [5367, 1967],
  "hybrid-hbb4": [5029, 1892],
  polaris: [5021, 1305],
  nolimit: [5006, 1833],
  "hybrid-hbb2": [4959, 1640],
  adaptive2: [4944, 1995],
  loki1: [4665, 2212],
  loki2: [4401, 1862],
  "loki2-s": [4220, 1686],
  sartre: [4172, 1947],
  pushfold: [4090, 2090],
  "loki2-r": [3886, 2137],
  "loki2-br": [3840, 2049],
  cfr: [3739, 1257],
  hbb6: [3706, 1217],
  ownbot: [3345, 1307],
  "hybrid-hbb3": [2738, 1405],
  "hbb5-max": [2587, 1966],
  hbb4: [2296, 1659],
  hbb2: [1783, 1630],
  hbb1: [1724, 1623],
  hbb5: [1416, 1680],
  hbb3: [575, 1558],
  learner: [-2688, 3596],
  adaptive: [-4999, 3264],
  random: [-24414, 3829],
  call: [-37390, 7911],
  raise: [-38463, 9011],
};

/** What has to be won for 2, 3, 4 and 5 stars, in mbb a hand against that field. */
const STARS = [-10000, 0, 2500, 4900];

/**
 * The measured strength of a program, its own or that of its family; null if it was not measured.
 * @param {string} program
 */
export function strengthOf(program) {
  const of = STRENGTHS[program] ? program : CHARACTERS[program]?.family ?? "";
  const [mbb, half] = STRENGTHS[of] ?? [];
  if (mbb === undefined || half === undefined) return null;
  const stars = 1 + STARS.filter((least) => mbb >= least).length;
  /** @type {Level} */
  const level = stars < 3 ? "easy" : stars < 4 ? "solid" : "strong";
  return { of, mbb, half, stars, level };
}

/** "fair" for "fair-2"; "" for a name that no house bot has. @param {string} name */
export function programOf(name) {
  const program = name.replace(/-[1-9]\d*$/, "");
  return program !== name && Object.hasOwn(CHARACTERS, program) ? program : "";
}

/** A program as people know it: "Vera", or the program itself where it is a stranger. @param {string} program */
export const characterName = (program) => CHARACTERS[program]?.name ?? program;

/**
 * What people at a table are called. A bot is called by its character, with a number where there are several of a kind, and
 * as the program is called where somebody else has that name.
 * @param {readonly string[]} names
 * @param {readonly string[]} kinds "bot" for the house bots
 * @returns {string[]}
 */
export function shownNames(names, kinds) {
  const programs = names.map((name, seat) => (kinds[seat] === "bot" ? programOf(name) : ""));
  return names.map((name, seat) => {
    const program = programs[seat];
    if (!program) return name;
    const shown = characterName(program);
    // "Carl", "carl 2", but not "Carla".
    const alike = new RegExp(`^${shown}(?!\\p{L})`, "iu");
    if (names.some((other, at) => !programs[at] && alike.test(other))) return name;
    const before = programs.slice(0, seat).filter((other) => other === program).length;
    return before || programs.lastIndexOf(program) > seat ? `${shown} ${before + 1}` : shown;
  });
}

/**
 * Programs of a level, the strongest first.
 * @param {readonly string[]} programs
 * @param {Level} level
 */
export function ofLevel(programs, level) {
  return programs.filter((program) => strengthOf(program)?.level === level)
    .sort((one, other) => (strengthOf(other)?.mbb ?? 0) - (strengthOf(one)?.mbb ?? 0));
}

/** The levels by name, the strongest first. */
export const LEVELS = /** @type {[Level, string][]} */ ([["strong", _("Strong")], ["solid", _("Solid")], ["easy", _("Easy")]]);

/** Bots that think for long at a full table. */
const SLOW = new Set(["akuma", "cfr+river", "nolimit+search"]);

/**
 * So many different opponents of a level, and of those nearest to it where it has too few.
 * @param {readonly string[]} programs on offer
 * @param {Level} level
 * @param {number} count
 */
export function lineUp(programs, level, count) {
  const quick = programs.filter((program) => strengthOf(program) && !SLOW.has(program));
  const of = ofLevel(quick, level);
  const worth = (/** @type {string} */ program) => strengthOf(program)?.mbb ?? 0;
  const middle = of.reduce((sum, program) => sum + worth(program), 0) / (of.length || 1);
  const others = quick.filter((program) => !of.includes(program))
    .sort((one, other) => Math.abs(worth(one) - middle) - Math.abs(worth(other) - middle));
  return [...of, ...others].slice(0, count);
}
