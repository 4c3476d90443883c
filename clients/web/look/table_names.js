// Names for tables that nobody named, and for those of the server's own.

import { _, dayName } from "../lib/language.js";

const NAMES = [
  "Lantern", "Magpie", "Harbour", "Juniper", "Copper", "Willow", "Foxglove", "Marble", "Nightjar", "Saffron", "Orchard", "Velvet",
  "Kestrel", "Amber", "Thistle", "Lagoon", "Bramble", "Comet", "Hazel", "Cobalt", "Heron", "Meadow", "Quartz", "Rosewood",
  "Sparrow", "Tundra", "Violet", "Walnut", "Yarrow", "Zephyr", "Indigo", "Driftwood", "Ember", "Fjord", "Ginger", "Ivory",
];

/** A name of ours, by number; after the last, the first again with a number. @param {number} number from 0 */
function nameOfNumber(number) {
  const round = Math.floor(number / NAMES.length);
  return `${NAMES[number % NAMES.length]}${round ? ` ${round + 1}` : ""}`;
}

/**
 * What a table is called: as its owner wished, else by a name of ours that follows from its number. The server calls a table
 * without a name as its address does, and that of the day by its date.
 * @param {{table: string, name?: string}} entry
 */
export function tableName({ table, name }) {
  const day = /^Hands of (\d{4}-\d\d-\d\d)$/.exec(name ?? "")?.[1];
  if (day) return _("Hands of {day}", { day: dayName(day) });
  const number = /^(?:table|private-[0-9a-f]+)-(\d{1,9})$/.exec(table)?.[1];
  return (name !== table && name) || (number === undefined ? table : nameOfNumber(Number(number) - 1));
}
