// The pages of a ladder: which one the address asks for, and looking again every few seconds.

import { problemText } from "./api.js";
import { BotView } from "./bot.js";
import { MatchView } from "./match.js";
import { MineView } from "./mine.js";
import { OrganiserView } from "./organiser.js";
import { StandingsView } from "./standings.js";
import { siteHeader } from "../look/look.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";

/** @import {View} from "./view.js" */

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const [, , section = "", name = ""] = location.pathname.split("/");
const view = chooseView();
let problem = "";
let isLoaded = false;

/** @returns {View} */
function chooseView() {
  switch (section) {
    case "bots": return new BotView(decodeURIComponent(name), draw);
    case "matches": return new MatchView(Number(name), draw);
    case "mine": return new MineView(draw);
    case "organiser": return new OrganiserView(draw);
    default: return new StandingsView();
  }
}

async function poll() {
  if (!document.hidden || !isLoaded) await refresh();
  setTimeout(poll, view.pause);
}

async function refresh() {
  try {
    await view.refresh();
    problem = "";
    isLoaded = true;
  } catch (error) {
    problem = problemText(error);
  }
  draw();
}

const LINKS = /** @type {[string, string][]} */ ([["/ladder", _("Ladder")], ["/ladder/mine", _("My bot")], ["/ladder/organiser", _("Organiser")]]);

function draw() {
  render(html`
    ${siteHeader(LINKS, section ? `/ladder/${section}` : "/ladder", { home: "/ladder" })}
    <main class=${section || "standings"}>
      ${problem ? html`<p class="banner" role="status">${problem}${isLoaded ? ` ${_("This page shows what was known before.")}` : nothing}</p>` : nothing}
      ${isLoaded ? view.template() : problem ? nothing : html`<p class="hint">${_("Loading…")}</p>`}
    </main>`, page);
  document.title = `${view.title} · pokerd`;
  view.afterDraw?.();
}

document.addEventListener("visibilitychange", () => void (document.hidden || refresh()));
addEventListener("hashchange", () => {
  draw();
  void refresh();
});
draw();
void poll();
