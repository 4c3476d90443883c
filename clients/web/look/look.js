// How the pages look, as the visitor chose: light or dark, felt, deck. Every page applies it when it loads.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { loadSettings, saveSettings } from "../lib/settings.js";
import { LANGUAGES, _, chooseLanguage, language } from "../lib/language.js";

/** @import {Settings} from "../lib/settings.js" */

export const THEMES = ["system", "light", "dark"];
export const FELTS = ["green", "blue", "wine"];
export const DECKS = ["classic", "bold"];

/** What one of these is called. @param {string} choice */
export function lookText(choice) {
  return { system: _("as the system"), light: _("light"), dark: _("dark"), green: _("green"), blue: _("blue"), wine: _("wine red"),
    classic: _("classic"), bold: _("bold") }[choice] ?? choice;
}

/** @param {Settings} settings */
export function applyLook({ theme, felt, deck, fourColours }) {
  Object.assign(document.documentElement.dataset, { theme, felt, cards: deck, deck: fourColours ? "four" : "two" });
}

/** Switches between light and dark, and remembers it. */
export function switchTheme() {
  const settings = loadSettings();
  saveSettings(settings, { theme: isDark(settings) ? "light" : "dark" });
  applyLook(settings);
  return settings.theme;
}

/** @param {Settings} settings */
const isDark = ({ theme }) => theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

const PAGES = /** @type {[string, string][]} */ ([["/tournament", _("Tournaments")], ["/challenge", _("Challenge")], ["/bots", _("Bots")], ["/push-fold", _("Trainer")], ["/me", _("My results")], ["/people", _("People")],
  ["/competitions", _("Competitions")]]);

/** The line above the pages of a server with tables. @param {string} here the page's address */
export const pageHeader = (here) => siteHeader(PAGES, here);

/**
 * The line above a page: the way home, links, and light or dark.
 * @param {readonly (readonly [string, string])[]} links addresses and names
 * @param {string} [here] the page's address
 * @param {{home?: string, more?: unknown}} [options] `more` stands at the end
 */
export function siteHeader(links, here = "", { home = "/", more = nothing } = {}) {
  requestAnimationFrame(showHere);
  return html`<header class="top site"><a class="home" href=${home}>pokerd</a>
    ${links.length ? html`<nav aria-label=${_("Site")}>${links.map(([address, name]) => html`<a href=${address} aria-current=${address === here ? "page" : nothing}>${name}</a> `)}</nav>` : nothing}
    <button class="theme" aria-label=${_("Switch between light and dark")} title=${_("Light or dark")} @click=${switchTheme}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a9 9 0 1 0 0 18z" /><circle cx="12" cy="12" r="9" class="ring" /></svg></button>
    ${languageMenu()}
    ${more}
  </header>`;
}

/** Whether the link to this page has been brought in sight, once: on a phone the line of links scrolls. */
let isHereShown = false;

function showHere() {
  const link = /** @type {HTMLElement | null} */ (document.querySelector(".site nav [aria-current]"));
  const line = link?.parentElement;
  if (isHereShown || !link || !line) return;
  isHereShown = true;
  line.scrollLeft = link.offsetLeft - line.offsetLeft - (line.clientWidth - link.offsetWidth) / 2;
}

/** The languages; a choice loads the page again, in that language. */
export function languageMenu() {
  return html`<select class="language" aria-label=${_("Language")} translate="no"
    @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => chooseLanguage(event.target.value)}>
    ${LANGUAGES.map(([code, name]) => html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`)}</select>`;
}

applyLook(loadSettings());
