import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  leadText, sortRows, earliestRanks, decidedText, formatEstimate, placesGained, groupRanking, tabulateIncidents, describeIncident, parseRoute, routeLink, describeDivision,
  sumProgress, rankSnapshot, sampleIndexes, shadeOf,
} from "../../clients/web/competition/data.js";
import { ordinal } from "../../clients/web/lib/language.js";

const sure = (mbb) => ({ mbb, ci95: 1, units: 10, decided: true });
const open = (mbb) => ({ mbb, ci95: 1000, units: 10, decided: false });
const row = (place, bot, ahead, tied = false) => ({ place, tied, bot, chips: 0, hands: 100, rate: null, ahead });

test("a route is written into the address, and read again", () => {
  const link = routeLink("heads up?", "matches", "m0000-l000-s0", [["bot", "a&b"], ["bot", "#"], ["offset", ""]]);
  const route = parseRoute(link);
  assert.equal(route.division, "heads up?");
  assert.equal(route.section, "matches");
  assert.equal(route.session, "m0000-l000-s0");
  assert.deepEqual(route.query.getAll("bot"), ["a&b", "#"]);
  assert.equal(route.query.has("offset"), false);
});

test("an address that says nothing, or nonsense, leads to the standings", () => {
  for (const hash of ["", "#", "#%", "#duel", "#duel/nothing", "#duel/%E0%A4%A"]) assert.equal(parseRoute(hash).section, "standings", hash);
  assert.equal(parseRoute("#duel/curves?x=?&y").query.get("x"), "?");
});

test("figures have a sign, but nothing has none", () => {
  assert.deepEqual(formatEstimate({ mbb: 1234.56, ci95: 0.04, units: 9, decided: true }, "hand"), { mean: "+1,234.6", half: "± 0.0", range: "+1,234.5 to +1,234.6" });
  assert.deepEqual(formatEstimate({ mbb: -0.01, ci95: null, units: 1, decided: false }, "hand"), { mean: "0.0", half: "± ?", range: "not known" });
  assert.equal(formatEstimate({ mbb: -333.3, ci95: 20, units: 2, decided: true }, "tournament").mean, "−0.333");
});

test("a cell is strong when it is decided, light when it is not, grey without data", () => {
  assert.deepEqual([sure(5), open(5), sure(-5), open(-5), { ...open(0) }, null, undefined].map(shadeOf),
    ["won-sure", "won", "lost-sure", "lost", "level", "none", "none"]);
});

test("it is said how many cells chance would decide, where there are intervals", () => {
  const standings = { crosstable_decided: { cells: 1225, decided: 300, by_chance: 61.25 }, players: 2 };
  assert.match(decidedText(standings), /300 of 1,225 pairs.*61\.25/);
  assert.match(decidedText({ ...standings, players: 3 }), /300 of 1,225 cells/);
  assert.equal(decidedText({ crosstable_decided: { cells: 0, decided: 0, by_chance: 0 }, players: 2 }), "");
});

test("groups end where somebody is ahead for sure", () => {
  const ranking = [row(1, "a", sure(9)), row(2, "b", open(3)), row(3, "c", sure(2)), row(4, "d", open(1)), row(5, "e", null)];
  assert.deepEqual(groupRanking(ranking).map((group) => group.map((it) => it.bot)), [["a"], ["b", "c"], ["d", "e"]]);
  assert.deepEqual(groupRanking([]), []);
});

test("it is said who is level, and what is not decided", () => {
  const [a, b, c] = [row(1, "a", open(3)), row(2, "b", open(0), true), row(2, "c", null, true)];
  assert.equal(leadText(a, b, "hand"), "+3.0 ± 1,000.0, undecided");
  assert.equal(leadText(b, c, "hand"), "level ± 1,000.0");
  assert.equal(leadText(c, undefined, "hand"), "");
  assert.equal(leadText(row(1, "a", sure(3)), b, "hand"), "+3.0 ± 1.0");
});

test("places gained are counted from an earlier look", () => {
  const competition = { standings: [{ division: "duel", ranking: [row(1, "b", null), row(2, "a", null)] }] };
  const before = { at: 0, ranks: { duel: { a: 1, b: 2 } } };
  const [first, second] = competition.standings[0].ranking;
  assert.deepEqual(rankSnapshot(competition), { duel: { a: 2, b: 1 } });
  assert.deepEqual([placesGained(before, "duel", first), placesGained(before, "duel", second)], [1, -1]);
  assert.equal(placesGained(before, "duel", row(3, "new", null)), null);
  assert.equal(placesGained(null, "duel", first), null);
  const now = { at: 9, ranks: { duel: { a: 2, b: 1 }, later: { a: 1 } } };
  assert.deepEqual(earliestRanks(before, now), { at: 0, ranks: { duel: { a: 1, b: 2 }, later: { a: 1 } } });
  assert.equal(earliestRanks(null, now), now);
});

test("rows are sorted either way, and what is missing stands last", () => {
  const columns = [{ key: "n", value: (it) => it.n }, { key: "bot", value: (it) => it.bot }];
  const rows = [{ n: 2, bot: "bot-10" }, { n: null, bot: "bot-2" }, { n: 30, bot: "bot-1" }];
  const order = (sort) => sortRows(rows, columns, sort).map((it) => it.n);
  assert.deepEqual(order("n"), [2, 30, null]);
  assert.deepEqual(order("-n"), [30, 2, null]);
  assert.deepEqual(order("bot"), [30, null, 2]);
  assert.deepEqual(order("nothing"), [2, null, 30]);
});

test("incidents are added up by bot and by kind, and what did not happen has no column", () => {
  const table = tabulateIncidents({ a: { timeout: 2, crash: 0 }, b: { timeout: 1, illegal_action: 4 }, c: {} });
  assert.deepEqual(table.kinds, ["illegal_action", "timeout"]);
  assert.deepEqual(table.rows.map((it) => it.total), [2, 5, 0]);
  assert.deepEqual([table.totals, table.total], [[4, 3], 7]);
  assert.equal(tabulateIncidents(undefined).total, 0);
});

test("every incident has words, a code that is new too", () => {
  assert.equal(describeIncident("timeout")[0], "ran out of time");
  assert.equal(describeIncident("quite_new")[0], "quite new");
});

test("what is played is said in a sentence", () => {
  const division = { game: "holdem.limit.2p.reverse_blinds", mode: "fixed", players: 2, line_ups: 1, matches: 40, seatings: 2, hands: 3000, sessions: 80, sessions_done: 20, hands_done: 60000 };
  assert.equal(describeDivision(division), "Limit hold'em, 2 at a table: 1 line-up × 40 matches × 2 seatings, 3,000 hands each");
  assert.equal(describeDivision({ ...division, game: "kuhn.limit.3p", mode: "tournament", matches: 1 }),
    "kuhn.limit.3p, tournaments, 2 at a table: 1 line-up × 1 match × 2 seatings, one tournament each");
  assert.deepEqual(sumProgress([division, division]), { sessions: 160, sessionsDone: 40, hands: 480000, handsDone: 120000 });
});

test("ordinals, and points of a table", () => {
  assert.deepEqual([1, 2, 3, 4, 10].map(ordinal), ["1st", "2nd", "3rd", "4th", "10th"]);
  assert.deepEqual(sampleIndexes(500, 4), [124, 249, 374, 499]);
  assert.deepEqual(sampleIndexes(2, 20), [0, 1]);
  assert.deepEqual(sampleIndexes(0, 20), []);
});

test("every kind of incident that the documentation lists has words of its own", () => {
  const page = readFileSync(new URL("../../docs/competition.md", import.meta.url), "utf8");
  const [, section] = /### incidents\.json\n([^]*?)\n##/.exec(page);
  const kinds = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);
  assert.ok(kinds.length > 7);
  for (const kind of kinds) assert.notEqual(describeIncident(kind)[0], kind.replaceAll("_", " "), kind);
});
