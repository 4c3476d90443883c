// The type that the parts of the ladder's pages share. Nothing here runs.

export {};

/**
 * A page: `refresh` asks the server, `template` shows what is known. `isDone`: nothing will change any more.
 * @typedef {{title: string, isDone?: boolean, refresh: () => Promise<void>, template: () => unknown,
 *   afterDraw?: () => void}} View
 */
