// made by: python -m tests.web.types

export interface Hello {
  type: "hello";
  name: string;
  token?: string;
  tables?: number;
  resume?: string;
  software?: string;
  person?: boolean;
}

export interface Join {
  type: "join";
  table: string;
  seat?: number;
}

export interface Leave {
  type: "leave";
  table: string;
}

export interface Ready {
  type: "ready";
  table: string;
}

export interface Act {
  type: "act";
  table: string;
  turn: number;
  action: "call" | "check" | "fold" | "raise";
  to?: number;
}

export interface SitIn {
  type: "back";
  table: string;
}

export interface Spectate {
  type: "watch";
  table: string;
}

export interface SitOut {
  type: "away";
  table: string;
  at?: "blind" | "hand";
}

export interface SendChat {
  type: "say";
  table: string;
  text: string;
}

export interface ShowCards {
  type: "show";
  table: string;
  hand: number;
  cards: string[];
}

export interface CreateTable {
  type: "create";
  name?: string;
  game?: string;
  small_blind?: number;
  big_blind?: number;
  ante?: number;
  stack?: number;
  seats?: number;
  mode?: string;
  bots?: string[];
  decision_ms?: number;
  bank_ms?: number;
  pause_ms?: number;
  deck?: string;
  levels?: string;
  matches?: number;
  rival?: string;
  hands?: number;
  depth?: number[];
}

export interface Invite {
  type: "invite";
  table: string;
  bot: string;
}

export interface LobbyTable {
  table: string;
  game: string;
  seats: number;
  free: number;
  mode: string;
}

export interface Welcome {
  type: "welcome";
  name: string;
  resume: string;
  grace: number;
  server: string;
  tables?: LobbyTable[];
  heartbeat?: number;
}

export interface GameInfo {
  name: string;
  betting: "limit" | "nolimit";
  players: number;
  rounds: number;
  blinds: number[];
  stacks: number[];
  raise_sizes: number[];
  first_player: number[];
  max_raises: number[];
  suits: number;
  ranks: number;
  hole_cards: number;
  board_cards: number[];
  rules: string;
  ante?: number;
  text?: string;
}

export interface MatchStart {
  type: "match_start";
  table: string;
  match: string;
  seat: number;
  players: string[];
  game: GameInfo;
  hands: number;
  reset: boolean;
  seed: number;
  mode: string;
  time_ms: number;
  bank_ms: number;
  hand?: number;
  resumed?: boolean;
}

export interface HandStart {
  type: "hand_start";
  table: string;
  seq: number;
  hand: number;
  button: number;
  seats: number[];
  stacks: number[];
  antes: number[];
  blinds: number[];
  hole: string[];
}

export interface Board {
  type: "board";
  table: string;
  seq: number;
  street: number;
  cards: string[];
}

export interface PlayerActed {
  type: "acted";
  table: string;
  seq: number;
  seat: number;
  action: string;
  to?: number;
  paid?: number;
  all_in?: boolean;
  forced?: string;
}

export interface YourTurn {
  type: "turn";
  table: string;
  turn: number;
  fold: boolean;
  call: number;
  raise_to: [number, number] | null;
  pot: number;
  time_ms: number;
  bank_ms: number;
}

export interface ShownHand {
  seat: number;
  cards?: string[];
  label?: string;
  best?: string[];
}

export interface Showdown {
  type: "shown";
  table: string;
  seq: number;
  hands: ShownHand[];
}

export interface PotInfo {
  amount: number;
  seats: number[];
  wins: [number, number][];
}

export interface HandEnd {
  type: "hand_end";
  table: string;
  seq: number;
  hand: number;
  pots: PotInfo[];
  net: number[];
  stacks: number[];
  returned?: [number, number] | null;
  hands?: ShownHand[];
}

export interface PlayerList {
  type: "players";
  table: string;
  players: string[];
}

export interface Rebuy {
  type: "refilled";
  table: string;
  seq: number;
  seat: number;
  stack: number;
}

export interface PlayerEliminated {
  type: "eliminated";
  table: string;
  seq: number;
  seat: number;
  place: number;
}

export interface BlindsRaised {
  type: "level";
  table: string;
  seq: number;
  small_blind: number;
  big_blind: number;
  ante: number;
}

export interface Redirect {
  type: "go_to";
  table: string;
  url: string;
  ticket: string;
}

export interface MatchEnd {
  type: "match_end";
  table: string;
  hands: number;
  net: number[];
  reason?: string;
}

export interface Error {
  type: "error";
  code: string;
  message: string;
  table?: string;
  turn?: number | null;
  fatal?: boolean;
  field?: string;
}

export interface SeatInfo {
  seat: number;
  name?: string;
  kind?: string;
  stack?: number;
  state?: string;
  place?: number;
}

export interface Seats {
  type: "seats";
  table: string;
  seats: SeatInfo[];
  watchers: number;
  hand: number;
  pause_ms: number;
  name: string;
  mode: string;
  game: string;
  commitment?: string;
  deck?: string;
  owner?: string;
}

export interface OpenPot {
  amount: number;
  seats: number[];
}

export interface ActionOn {
  type: "waiting";
  table: string;
  seat: number;
  turn: number;
  time_ms: number;
  bank_ms: number;
  pot: number;
  pots: OpenPot[];
  bets: number[];
}

export interface Strength {
  type: "strength";
  table: string;
  street: number;
  label: string;
}

export interface CardsShown {
  type: "showed";
  table: string;
  hand: number;
  seat: number;
  cards: string[];
}

export interface ChatMessage {
  type: "said";
  table: string;
  seat: number;
  name: string;
  text: string;
  at: number;
}

export interface SeriesMatch {
  match: number;
  players: string[];
  places: number[];
  hands: number;
}

export interface Series {
  type: "series";
  table: string;
  match: number;
  of: number;
  results: SeriesMatch[];
}

export interface TableCreated {
  type: "created";
  table: string;
}

export interface FaceUpCards {
  type: "faceup";
  table: string;
  hand: number;
  cards: string[][];
}

export interface Heartbeat {
  type: "heartbeat";
}

export interface ChallengeHand {
  hand: number;
  player_net: number;
  rival_net: number;
}

export interface ChallengeResult {
  type: "challenge";
  table: string;
  run: string;
  rival_run: string;
  player: string;
  rival: string;
  opponents: string[];
  game: string;
  big_blind: number;
  of: number;
  hands: ChallengeHand[];
  player_net: number;
  rival_net: number;
  mean: number;
  half: number | null;
  decided: boolean;
}

export type ClientMessage =
  | Hello
  | Join
  | Leave
  | Ready
  | Act
  | SitIn
  | Spectate
  | SitOut
  | SendChat
  | ShowCards
  | CreateTable
  | Invite;

export type ServerMessage =
  | Welcome
  | MatchStart
  | HandStart
  | Board
  | PlayerActed
  | YourTurn
  | Showdown
  | HandEnd
  | PlayerList
  | Rebuy
  | PlayerEliminated
  | BlindsRaised
  | Redirect
  | MatchEnd
  | Error
  | Seats
  | ActionOn
  | Strength
  | CardsShown
  | ChatMessage
  | Series
  | TableCreated
  | FaceUpCards
  | Heartbeat
  | ChallengeResult;
