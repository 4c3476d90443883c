// What a person takes away from the table: links, the log, the result.

import { rowsOf } from "./results.js";
import { written } from "./series.js";
import { copy, save } from "../lib/share.js";
import { plain, worded } from "../lib/words.js";

/** @import {App} from "./table.js" */

/**
 * @param {App} app
 * @param {(text: string) => void} tell
 */
export function copies(app, tell) {
  const log = () => `${app.state.lines.map((line) => plain(worded(line, app.settings.bigBlinds))).join("\n")}\n`;
  /**
   * @param {string} text
   * @param {string} done
   */
  const copyText = async (text, done) => tell(await copy(text, done));
  return {
    copyText,
    copyLink: () => copyText(location.href, "The link is copied."),
    copyInvitation: () => copyText(`${location.href}#sit`, "The invitation link is copied."),
    copyLog: () => copyText(log(), "The log is copied."),
    saveLog: () => save(`${app.state.table}.txt`, log()),
    copyResult: () => copyText(written(rowsOf(app), "text"), "The result is copied."),
    saveResult: () => save(`${app.state.table}.csv`, written(rowsOf(app), "csv"), "text/csv"),
  };
}
