// A bot in JavaScript without an SDK: it raises with a pair or two high cards, calls what is cheap, else checks or folds.
// Node 22 or later has WebSocket built in; before that: npm install ws.
import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { POKERD_URL = "ws://127.0.0.1:8000", POKERD_NAME = "js-bot", POKERD_TOKEN = "" } = process.env;
const tables = new Map(); // table -> { big, hole }

export const handlers = {
  welcome: (message) => (message.tables?.length ? { type: "join", table: process.argv[2] ?? message.tables[0].table } : null),
  match_start(message) {
    tables.set(message.table, { big: Math.max(...message.game.blinds, 1), hole: [] });
    return { type: "ready", table: message.table };
  },
  hand_start: (message) => void (tables.get(message.table).hole = message.hole ?? []),
  level: (message) => void (tables.get(message.table).big = message.big_blind),
  turn(message) {
    const { table, turn, raise_to: raise } = message;
    const { big, hole } = tables.get(table);
    const ranks = hole.map((card) => "23456789TJQKA".indexOf(card[0]));
    const strong = ranks.length > 0 && (ranks[0] === ranks[1] || Math.min(...ranks) >= 8);
    if (strong && raise) {
      const to = Math.min(raise[1], Math.max(raise[0], 3 * big));
      return { type: "act", table, turn, action: "raise", to };
    }
    const cheap = message.call === 0 || strong || message.call <= big;
    return { type: "act", table, turn, action: cheap ? "call" : "fold" };
  },
  match_end: (message) => void tables.delete(message.table),
  error(message) {
    console.error(`${message.code}: ${message.message}`);
    if (message.fatal) process.exitCode = 1;
  },
};

async function play() {
  const WebSocket = globalThis.WebSocket ?? (await import("ws")).default;
  const socket = new WebSocket(POKERD_URL, "pokerd.v1.json");
  socket.onopen = () => socket.send(JSON.stringify({ type: "hello", name: POKERD_NAME, token: POKERD_TOKEN, tables: 16 }));
  socket.onmessage = ({ data }) => {
    // A frame holds one message or an array of them; types that are not known here are ignored.
    const answers = [JSON.parse(data)].flat().map((message) => handlers[message.type]?.(message)).filter(Boolean);
    if (answers.length) socket.send(JSON.stringify(answers));
  };
  socket.onerror = ({ message }) => {
    console.error(`cannot reach ${POKERD_URL}: ${message ?? "connection failed"}`);
    process.exitCode = 1;
  };
}

// A test imports the handlers alone.
if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) await play();
