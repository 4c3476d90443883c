// Whether I agree to run it twice, at a table that offers it. The browser remembers it for the next table.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { seatsOf } from "./state.js";

/**
 * @import {AgreeTwice} from "../lib/messages.d.ts"
 * @import {State} from "../lib/table_types.js"
 * @import {App, View} from "./app.js"
 */

/** Whether I have a seat at a table where hands can be run twice. @param {State} state */
const isAsked = ({ info, me, ended }) => info?.all_ins === "twice" && me >= 0 && !ended;

/**
 * @param {App} app
 * @param {(message: AgreeTwice) => boolean} send
 */
export function twiceHandlers(app, send) {
  /** The match in which the table has been told what I agreed to elsewhere. */
  let told = "";
  return {
    /** @param {boolean} agree */
    agreeTwice: (agree) => send({ type: "twice", table: app.state.table, agree }),
    tellTwice() {
      const { state } = app;
      const sitting = `${state.match?.match} ${state.me}`;
      if (!isAsked(state) || told === sitting) return;
      told = sitting;
      if (app.settings.twice && !seatsOf(state)[state.me]?.twice) send({ type: "twice", table: state.table, agree: true });
    },
  };
}

/** @type {View} */
export function twiceBox({ state, settings }, handlers) {
  if (!isAsked(state)) return nothing;
  return html`<label class="twice"><input type="checkbox" .checked=${settings.twice}
    @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
      handlers.changeSettings({ twice: event.target.checked });
      handlers.agreeTwice(event.target.checked);
    }}> ${_("Run it twice, if all who are all-in agree")}</label>`;
}
