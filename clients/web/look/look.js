// How the pages look, as the visitor chose: light or dark, felt, deck. Every page applies it when it loads.

import { html } from "../vendor/lit-html/lit-html.js";
import { loadSettings, saveSettings } from "../lib/settings.js";

/** @import {Settings} from "../lib/settings.js" */

export const THEMES = ["system", "light", "dark"];
export const FELTS = ["green", "blue", "wine"];
export const DECKS = ["classic", "bold"];

/** @param {Settings} settings */
export function applyLook({ theme, felt, deck, fourColours }) {
  Object.assign(document.documentElement.dataset, { theme, felt, cards: deck, deck: fourColours ? "four" : "two" });
}

/** Switches between light and dark, and remembers it. */
export function switchTheme() {
  const settings = loadSettings();
  settings.theme = isDark(settings) ? "light" : "dark";
  saveSettings(settings);
  applyLook(settings);
  return settings.theme;
}

/** @param {Settings} settings */
const isDark = ({ theme }) => theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

const PAGES = [["challenge", "Challenge"], ["bots", "Bots"], ["people", "People"], ["competitions", "Competitions"]];

/** The line above the pages around the tables. @param {string} here the first part of the page's address */
export function pageHeader(here) {
  return html`<header class="top site"><a class="home" href="/">pokerd</a>
    <nav aria-label="Pages">${PAGES.map(([path, name]) => html`<a href="/${path}" aria-current=${path === here ? "page" : "false"}>${name}</a> `)}</nav>
    <button class="theme" aria-label="Switch between light and dark" title="Light or dark" @click=${switchTheme}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a9 9 0 1 0 0 18z" /><circle cx="12" cy="12" r="9" class="ring" /></svg></button>
  </header>`;
}

applyLook(loadSettings());
