// Deals the hands of a finished competition again, as docs/fairness.md says, and compares the cards with its records:
//     node clients/examples/redeal.mjs results/mine
// Or those of an open table's match that is over, with the cards that would have come:
//     node clients/examples/redeal.mjs http://127.0.0.1:8080/api/tables/table-1.7
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const out = (process.argv[2] ?? ".").replace(/(?<=.)\/+$/, "");
const read = (name) => readFileSync(`${out}/${name}`, "utf8");
const u64 = (number) => Buffer.from(number.toString(16).padStart(16, "0"), "hex");
const RANKS = [..."23456789TJQKA"], SUITS = [..."cdhs"];
const STRENGTHS = RANKS.flatMap((rank) => SUITS.map((suit) => rank + suit));

function compare(what, recorded, right) {
  const [a, b] = [JSON.stringify(recorded), JSON.stringify(right)];
  if (a !== b) throw new Error(`${what}: ${a} is recorded, but it must be ${b}`);
}

function shapeOf(division) {
  const game = read(`games/${division}.game`);
  const numbers = (key) => game.match(RegExp(`^${key} *=([ \\d]+)`, "im"))[1].trim().split(/ +/).map(Number);
  const [[suits], [ranks], [own], board] = ["numSuits", "numRanks", "numHoleCards", "numBoardCards"].map(numbers);
  return { suits, ranks, own, board };
}

function dealer(seed, match, { suits, ranks, own, board }) {
  const cards = SUITS.slice(-suits).flatMap((suit) => RANKS.slice(-ranks).map((rank) => rank + suit));
  return (hand, players) => {
    const bytes = [Buffer.from("pokerd secure deal 1\0"), seed, u64(match), u64(hand)];
    const stream = createHash("shake256", { outputLength: 1024 }).update(Buffer.concat(bytes)).digest();
    const deck = [...cards];
    let at = 0;
    const draw = () => {
      while (stream.readUInt16BE(at) >= 65536 - (65536 % deck.length)) at += 2;
      const place = stream.readUInt16BE(at) % deck.length, card = deck[place], last = deck.pop();
      at += 2;
      if (place < deck.length) deck[place] = last;
      return card;
    };
    const take = (count) => Array.from({ length: count }, draw).join("");
    // What follows in the deck, for who asks: the second board of a hand that is run twice.
    return { hole: Array.from({ length: players }, () => take(own)), board: board.map(take), spare: () => take(5) };
  };
}

function check(name, deal, tournament) {
  const [facts, ...hands] = read(`hands/${name}.jsonl`).trim().split("\n").map((line) => JSON.parse(line));
  compare("session", facts.session, name);
  if (!hands.length) throw new Error("it has no hands");
  const first = hands[0][0][1] === 0 ? 0 : 1; // stacks are fixed, or else go on
  let seats = [...facts.players.keys()], button;
  for (const [index, events] of hands.entries()) {
    const hand = first + index, where = `hand ${hand}`;
    let order = seats.map((position) => (position + hand) % seats.length);
    if (first) {
      const cards = deal(0, seats.length).hole.map((hole) => STRENGTHS.indexOf(hole.slice(0, 2)));
      button = index ? (seats.find((seat) => seat > button) ?? seats[0]) : cards.indexOf(Math.max(...cards));
      order = [...seats.filter((seat) => seat > button), ...seats.filter((seat) => seat <= button)];
    }
    const { hole, board } = deal(hand, order.length);
    compare(`${where}, first event`, events[0].slice(0, 4), ["hand_started", hand, order, order.at(-1)]);
    compare(`${where}, hole cards`, events[0][7], hole);
    for (const [kind, ...event] of events) {
      if (kind === "board_dealt") compare(`${where}, street ${event[0]}`, event[1], board[event[0]]);
      for (const [seat, cards] of kind === "shown" ? event[0] : [])
        if (cards) compare(`${where}, shown by seat ${seat}`, cards, hole[order.indexOf(seat)]);
      if (kind === "hand_ended" && tournament) seats = seats.filter((seat) => event[4][order.indexOf(seat)] > 0);
    }
  }
  return hands.length;
}

function keeps(published, revealed) {
  const seed = Buffer.from(revealed, "hex");
  compare("commitment", published, createHash("sha256").update(seed).digest("hex"));
  return seed;
}

function checkCompetition() {
  const { deck, seed: revealed } = JSON.parse(read("seed.json"));
  if (deck !== "secure") throw new Error(`the deck is ${deck}; this program deals secure ones only`);
  const seed = keeps(JSON.parse(read("commitment.json")).commitment, revealed);
  const tournaments = existsSync(`${out}/places.json`) ? JSON.parse(read("places.json")) : {};
  const files = readdirSync(`${out}/hands`, { recursive: true }).filter((file) => file.endsWith(".jsonl")).sort();
  if (!files.length) throw new Error("there are no sessions");
  let hands = 0;
  for (const file of files) {
    try {
      const [, name, division, match] = /^((.*)\/m(\d+)-.*)\.jsonl$/.exec(file);
      hands += check(name, dealer(seed, Number(match), shapeOf(division)), name in tournaments);
    } catch (error) {
      throw new Error(`hands/${file}: ${error.message}`);
    }
  }
  return `${hands} hands in ${files.length} sessions`;
}

async function checkTable() {
  const get = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { commitment, seed } = await get(out);
  if (commitment === undefined) throw new Error("this is no table");
  if (!seed) throw new Error("its seed is not published yet");
  const deal = dealer(keeps(commitment, seed), 0, { suits: 4, ranks: 13, own: 2, board: [0, 3, 1, 1] });
  const lines = [];
  let before = "";
  do {
    const page = await get(`${out}/hands${before && `?before=${before}`}`);
    for (const { hand, players, cards, board, second } of page.hands) {
      const dealt = deal(hand, players.length), right = dealt.board.join("").match(/../g);
      cards.forEach((own, position) => own.length && compare(`hand ${hand}, ${players[position]}`, own.join(""), dealt.hole[position]));
      compare(`hand ${hand}, board`, board, right.slice(0, board.length));
      if (second.length) {
        // It shares what had come before the last bet.
        const spare = dealt.spare().match(/../g), boards = [0, 3, 4].map((shared) => [...right.slice(0, shared), ...spare.slice(0, 5 - shared)]);
        compare(`hand ${hand}, second board`, second, boards.find((one) => `${one}` === `${second}`) ?? boards[0]);
      }
      lines.push(`hand ${hand}: ${board.join(" ") || "no board"}${second.length ? ` and ${second.join(" ")}` : ""}${board.length < 5 ? `, then ${right.slice(board.length).join(" ")} would have come` : ""}`);
    }
    before = page.next;
  } while (before);
  console.log(lines.reverse().join("\n"));
  return `${lines.length} hands`;
}

try {
  const hands = await (/^https?:/.test(out) ? checkTable() : checkCompetition());
  console.log(`${out}: ${hands} have the cards of the seed that was committed to`);
} catch (error) {
  console.log(`${out}: ${error.message}`);
  process.exitCode = 1;
}
