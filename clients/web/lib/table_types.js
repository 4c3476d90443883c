// The types of a table as one viewer knows it. Nothing here runs.

export {};

/**
 * @import {Act, ChallengeResult, BlindsRaised, MatchEnd, MatchStart, OpenPot, PlayStyle, PotInfo, ChatMessage,
 *   Hint, Ranges, SeatInfo, Seats, Series, Entry, PersonScore, YourTurn} from "./messages.d.ts"
 */

/**
 * Made before my turn. `check_fold` holds for one decision, `fold_any` until the hand is over; `check` and `call`
 * only at the price they were made at.
 * @typedef {{kind: "check_fold" | "fold_any"} | {kind: "check" | "call", price: number}} Choice
 */
/**
 * What a player did: `to` is his bet on the street after it, `paid` what it cost him.
 * @typedef {{kind: "fold"|"check"|"call"|"bet"|"raise", to: number, paid: number, allIn: boolean, forced: string}} Action
 */
/**
 * A player in a hand. `cards` are those this viewer knows; `net` is null until the hand is over. `second` is what they
 * make on the second board.
 * @typedef {{seat: number, name: string, stack: number, bet: number, pushed: number, folded: boolean, allIn: boolean,
 *   cards: readonly string[], shown: boolean, mucked: boolean, label: string, best: readonly string[],
 *   lastAction: Action | null, net: number | null, won: number, second: {label: string, best: readonly string[]}}} Player
 */
/**
 * One line of the log; `hand` is -1 before the first, `textInBlinds` is `text` with amounts in big blinds. U+0001 before two letters
 * marks a card.
 * @typedef {{hand: number, street: number, kind: "deal" | "act" | "result" | "note", text: string, textInBlinds: string}} Line
 */
/**
 * `seats` are in the order of position; `small`, `big` and `straddle` are the seats that posted them, or -1.
 * `pots` are those the server named last; `results` the final ones. `undealt` are the board cards that it ended without, and
 * `peeked` is whether I asked for them. `faceUp`: everybody's cards lie face up for spectators. `equity`: an all-in was divided by
 * equity. `second` is the second board of a hand that was run twice, so far. `bigBlind` is that of its level. So many `actions` are
 * done; `lastOwn` of them were done before my last one, or it is -1.
 * @typedef {{hand: number, bigBlind: number, button: number, small: number, big: number, straddle: number, seats: readonly number[],
 *   players: Readonly<Record<number, Player>>, board: readonly string[], street: number, pot: number,
 *   pots: readonly OpenPot[], results: readonly PotInfo[], returned: readonly [number, number] | null,
 *   strength: string, over: boolean, equity: boolean, second: readonly string[], undealt: readonly string[], peeked: boolean, faceUp: boolean, lines: readonly Line[],
 *   actions: number, lastOwn: number}} Hand
 */
/**
 * Whose time runs: from `from` until `base` (on the caller's clock, in ms) the time of the decision, then `bank` ms more; `wholeBank` are
 * those that there were when it began.
 * @typedef {{seat: number, turn: number, from: number, base: number, bank: number, wholeBank: number}} Clock
 */
/**
 * A seat with nothing left out, and the table that has such seats.
 * @typedef {Required<SeatInfo>} Seat
 * @typedef {Seats & {seats: Seat[]}} Info
 */
/**
 * `me` is -1 for a spectator. `styles` is how the holders of the seats play here, by seat, `allStyles` how they do in all hands, by `placeOf`. `turn` is open until answered; `sent` is an answer that the table has not confirmed.
 * `raisedAt`: when somebody last raised my price a lot. `hints` counts those that I have had at a practice table.
 * `unknownTable`: there is no such table (any more).
 * @typedef {{table: string, me: number, match: MatchStart | null, names: readonly string[], info: Info | null,
 *   level: Pick<BlindsRaised, "small_blind" | "big_blind" | "ante"> | null, bigBlind: number, hand: Hand | null, pastHands: readonly Hand[], turn: YourTurn | null,
 *   turnAt: number, raisedAt: number, clock: Clock | null, sent: Act | null, choice: Choice | null,
 *   notice: string, chat: readonly ChatMessage[], series: Series | null, styles: Readonly<Record<number, PlayStyle>>, allStyles: ReadonlyMap<string, Omit<PlayStyle, "seat">>, challenge: ChallengeResult | null, score: PersonScore | null, entry: Entry | null,
 *   hint: Hint | null, hints: number, ranges: Ranges | null, ended: MatchEnd | null,
 *   unknownTable: boolean, absent: boolean, lines: readonly Line[]}} State
 */
/**
 * What the page itself puts into the state: an answer was sent, a choice made in advance, the connection lost, a
 * notice set, the pots of a run-out known, the next street of the second board dealt, the cards that would have come asked for.
 * @typedef {{type: "sent", act: Act} | {type: "choose", choice: Choice | null} | {type: "disconnected"}
 *   | {type: "notice", text: string} | {type: "pots", pots: readonly OpenPot[]} | {type: "second_board", cards: readonly string[]} | {type: "peek"} | {type: "all_styles", styles: ReadonlyMap<string, Omit<PlayStyle, "seat">>}} LocalMessage
 */
