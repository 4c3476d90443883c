// The types that the parts of the organiser's page share. Nothing here runs.

export {};

/** @import {Api, Overview} from "./api.js" */

/**
 * A question before something that cannot be undone: the action and its order, and what to say when it is done.
 * @typedef {{title: string, text: string, button: string, action: string, order: object, done: string}} Question
 */
/**
 * What the sections know and can do. `act` does it at once, and tells whether it was done; `ask` asks first.
 * @typedef {{api: Api, overview: Overview, draw: () => void, ask: (question: Question) => void,
 *   act: (action: string, order: object, done: string) => Promise<boolean>, fail: (error: unknown) => void,
 *   token: {name: string, text: string} | null, showToken: (token: {name: string, text: string} | null) => void}} App
 */
