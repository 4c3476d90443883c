// The types that the parts of the table's page share. Nothing here runs.

export {};

/**
 * @import {Choice, State} from "../lib/table_types.js"
 * @import {Invite} from "../lib/messages.d.ts"
 * @import {MatchSeed} from "../lib/seeds.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {Slot} from "./actions.js"
 * @import {Status} from "../lib/net.js"
 */

/**
 * What only this page knows. `raiseTo` and `typedAmount` are the amount of a raise as chosen and as typed, `amountFor` names its turn. `pausedAt`: when
 * I, a spectator, paused; `behind` counts hands in the queue; `followSeat` is the seat at the bottom; `otherTable` is one
 * that another tab is connected to, until it is decided where I go on; `arrival` is why a tournament has moved me here. `bots` can be seated, and
 * `bot` is the one that I chose; after `isInviting` I wait for the answer. `hintedTurn`: in which I asked for a hint; `comesAgain`: I asked for this hand once more; `isChoiceLost`: with the connection went what I had chosen in advance, and I am yet to be told; `rangesOf`: the hand whose ranges I asked for, until they are there.
 * @typedef {{name: string, nameError: string, raiseTo: number | null, typedAmount: string | null, amountFor: string, panel: "log" | "chat",
 *   dialog: "settings" | "help" | "last" | "about" | "fold" | "push" | "leave" | "bot" | "ranges" | null, isMenuOpen: boolean,
 *   muckedHand: number | null, questionsAsked: Set<string>, leavesAfterHand: boolean, reviewIndex: number | null,
 *   readLines: number, answer: string, isOutdated: boolean, hasName: boolean, pausedAt: number | null, behind: number,
 *   followSeat: number | null, seeds: readonly MatchSeed[], otherTable: string, arrival: string, bots: readonly string[], bot: string,
 *   isInviting: boolean, isResultDeleted: boolean,
 *   hintedTurn: number | null, comesAgain: boolean, isChoiceLost: boolean, rangesOf: number | null}} Ui
 */
/** @typedef {{state: State, status: Status, settings: Settings, ui: Ui, now: number}} App */
/**
 * What a visitor can do; the templates call these. `pressEnter` is a raise, unless what it would do may be a surprise;
 * letters are no amount: `explainAmount` says what is; `togglePause` is for spectators; `follow` takes "" for nobody's
 * seat; `sendChat` returns whether the text was sent; `connectHere` takes over from the tab at another table; `tellTwice` tells a table where I have
 * just sat down what I agreed to before; `playBeside` shows this table and that of another tab, or one to be chosen, in one window.
 * @typedef {{
 *   agreeTwice: (agree: boolean) => void,
 *   askAgain: () => void,
 *   takeBack: () => void,
 *   askHint: () => void,
 *   askRanges: () => void,
 *   answerDialog: (answer: "check" | "fold" | "push" | "now" | "later") => void,
 *   changeSettings: (some: Partial<Settings>) => void,
 *   choose: (choice: Choice | null) => void,
 *   chooseBot: (bot: string) => void,
 *   closeDialog: () => void,
 *   connectHere: () => void,
 *   copyInvitation: () => void,
 *   copyLink: () => void,
 *   copyLog: () => void,
 *   copyResult: () => void,
 *   copyText: (text: string, done: string) => void,
 *   deleteResult: () => void,
 *   explainAmount: () => void,
 *   follow: (seat: string) => void,
 *   goToLobby: () => void,
 *   invite: (bot: Invite["bot"]) => void,
 *   jumpToNow: () => void,
 *   leave: () => void,
 *   muck: () => void,
 *   openDialog: (which: Exclude<Ui["dialog"], null>) => void,
 *   peek: () => void,
 *   press: (slot: Slot) => void,
 *   pressEnter: () => void,
 *   reconnect: () => void,
 *   reload: () => void,
 *   reviewHand: (index: number) => void,
 *   runCommand: (text: string) => void,
 *   saveLog: () => void,
 *   saveResult: () => void,
 *   sendChat: (text: string) => boolean,
 *   setAmount: (to: number) => void,
 *   setName: (text: string) => void,
 *   showCards: (cards: string[]) => void,
 *   showPanel: (panel: "log" | "chat") => void,
 *   sit: (seat: number) => void,
 *   sitIn: () => void,
 *   sitOut: (at: "hand" | "blind") => void,
 *   stepBy: (steps: number) => void,
 *   tellTwice: () => void,
 *   playAgain: () => void,
 *   playBeside: () => void,
 *   toggleMenu: () => void,
 *   toggleMute: (name: string) => void,
 *   toggleTheme: () => void,
 *   togglePause: () => void,
 *   typeAmount: (typed: string) => void,
 *   usePreset: (index: number) => void,
 * }} Handlers
 */
/** Draws a part of the page. @typedef {(app: App, handlers: Handlers) => unknown} View */
