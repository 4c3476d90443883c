// The types that the parts of the replayer's page share. Nothing here runs.

export {};

/**
 * @import {Address, Recorded, Step} from "./steps.js"
 * @import {Facts, HandHint, LoadError, Options} from "./source.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {State} from "../lib/table_types.js"
 */

/**
 * `at` is where the hand comes from, `step` the number of the step that is shown; `follow` the name of the player
 * that the table is looked at from; `state` is the table as it is seen; `comment` is what the link says. `hint` is what a
 * strong bot would have done at this step, once it was asked.
 * @typedef {{at: Address | null, hand: Recorded | null, steps: readonly Step[], step: number, state: State | null,
 *   facts: Facts | null, isPlaying: boolean, follow: string, options: Options, settings: Settings, error: LoadError | null,
 *   isLoading: boolean, notice: string, isMenuOpen: boolean,
 *   dialog: "help" | "comment" | null, comment: string, hint: {answer?: HandHint, error?: LoadError} | null}} App
 */
/**
 * What a visitor can do; the templates call these. `openNeighbour` goes to the hand before or after; an automatic move
 * is no place to go back to.
 * @typedef {{
 *   changeOptions: (some: Partial<Options>) => void,
 *   changeSettings: (some: Partial<Settings>) => void,
 *   closeDialog: () => void,
 *   copyComment: (comment: string) => void,
 *   copyLink: () => void,
 *   followPlayer: (name: string) => void,
 *   goToFirst: () => void,
 *   goToLast: () => void,
 *   goToStep: (step: number) => void,
 *   goToStreet: (index: number) => void,
 *   openDialog: (which: "help" | "comment") => void,
 *   playOn: () => void,
 *   openNeighbour: (which: "previous" | "next", automatic?: boolean) => void,
 *   retry: () => void,
 *   stepBy: (by: number) => void,
 *   toggleMenu: () => void,
 *   togglePlay: () => void,
 * }} Handlers
 */
/** Draws a part of the page. @typedef {(app: App, handlers: Handlers) => unknown} View */
