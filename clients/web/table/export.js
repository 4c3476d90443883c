// What can be copied, saved or deleted: links, the log, the result.

import { resultRows } from "./results.js";
import { formatRows } from "./series.js";
import { deleteResult } from "../people/score.js";
import { _ } from "../lib/language.js";
import { copyToClipboard, saveFile } from "../lib/share.js";
import { lineText, toPlainText } from "../lib/words.js";

/** @import {App} from "./app.js" */

/**
 * @param {App} app
 * @param {(text: string) => void} notify
 */
export function exportHandlers(app, notify) {
  const log = () => `${app.state.lines.map((line) => toPlainText(lineText(line, app.settings.bigBlinds))).join("\n")}\n`;
  /**
   * @param {string} text
   * @param {string} done
   */
  const copyText = async (text, done) => notify(await copyToClipboard(text, done));
  return {
    copyText,
    copyLink: () => copyText(location.href, _("The link is copied.")),
    copyInvitation: () => copyText(`${location.href}#sit`, _("The invitation link is copied.")),
    copyLog: () => copyText(log(), _("The log is copied.")),
    saveLog: () => saveFile(`${app.state.table}.txt`, log()),
    copyResult: () => copyText(formatRows(resultRows(app), "text"), _("The result is copied.")),
    saveResult: () => saveFile(`${app.state.table}.csv`, formatRows(resultRows(app), "csv"), "text/csv"),
    async deleteResult() {
      app.ui.isResultDeleted = await deleteResult(app.settings, app.state.score?.key ?? "");
      notify(app.ui.isResultDeleted ? _("Your result is deleted.") : _("The server does not answer: your result is not deleted."));
    },
  };
}
