// The type that the parts of the ladder's pages share. Nothing here runs.

export {};

/**
 * A page: `refresh` asks the server, `template` shows what is known. `pause`: milliseconds until it is asked again.
 * @typedef {{title: string, pause: number, refresh: () => Promise<void>, template: () => unknown,
 *   afterDraw?: () => void}} View
 */
