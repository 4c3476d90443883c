"""Watches a server without a browser. It knows MQTT and what docs/mqtt.md says, and has none of our code.

python clients/examples/mqtt_spectator.py mqtt://127.0.0.1
"""

import asyncio
import json
import sys
from urllib.parse import urlsplit

import aiomqtt

STREETS = ("before the flop", "flop", "turn", "river")


def hand_lines(hand: dict) -> list[str]:  # type: ignore[type-arg]
    """A finished hand in sentences."""
    names = {player["seat"]: player["name"] for player in hand["players"]}
    lines = [f"{hand['table']}, hand {hand['hand']}, button {names.get(hand['button'], 'nobody')}"]
    for street in hand["streets"]:
        cards = " ".join(street.get("cards", []))
        moves = [move_text(move, names[move["seat"]]) for move in street.get("moves", [])]
        place = STREETS[street["street"]] + (f" {cards}" if cards else "")
        lines.append(f"  {place}: {', '.join(moves) or 'nobody can bet any more'}")
    for shown in hand.get("shown", []):
        held = " ".join(shown.get("cards", []))
        lines.append(
            f"  {names[shown['seat']]} " + (f"shows {held}: {shown.get('label', '')}" if held else "mucks")
        )
    for pot in hand["pots"]:
        won = " and ".join(f"{names[seat]} {chips:g}" for seat, chips in pot["wins"])
        lines.append(f"  pot of {pot['amount']}: {won}")
    return lines


def move_text(move: dict, name: str) -> str:  # type: ignore[type-arg]
    """An action as one would say it."""
    if move["action"] == "call" and not move.get("paid"):
        return f"{name} checks"
    amount = {"raise": f" to {move.get('to', 0)}", "call": f" {move.get('paid', 0)}"}.get(move["action"], "")
    return f"{name} {move['action']}s{amount}" + (" (all in)" if move.get("all_in") else "")


def standings_lines(title: str, ranking: list[dict]) -> list[str]:  # type: ignore[type-arg]
    """Who won how much, as a table."""
    lines = [f"standings of {title}"]
    for row in ranking:
        rate = f"{row['mbb']:+10.1f} ± {row.get('ci95') or 0:.1f} mbb/hand" if "mbb" in row else ""
        lines.append(
            f"  {row['name']:20} {row['chips']:+10g} chips in {row['hands']:6} hands {rate}".rstrip()
        )
    return lines


def lines_of(event: dict) -> list[str]:  # type: ignore[type-arg]
    """What there is to say of an event; nothing of those that this program does not know."""
    match event["type"]:
        case "server":
            return [f"pokerd {event['version']} is {event['status']}"]
        case "tables":
            seated = {one["table"]: [who["name"] for who in one.get("seated", [])] for one in event["tables"]}
            return [f"{table}: {', '.join(names) or 'nobody'}" for table, names in seated.items()]
        case "hand":
            return hand_lines(event)
        case "table_standings" if event["players"]:
            return standings_lines(event["table"], event["players"])
        case "progress":
            parts = [f"{one['division']} {one['done']}/{one['sessions']}" for one in event["divisions"]]
            return [f"{event['competition']}: sessions {', '.join(parts)}"]
        case "standings":
            when = "at the end" if event["final"] else "so far"
            return [
                line
                for one in event["divisions"]
                for line in standings_lines(f"{one['division']} {when}", one["ranking"])
            ]
    return []


async def watch(url: str) -> None:
    """Print what is published, until it is stopped or the broker goes."""
    broker = urlsplit(url)
    async with aiomqtt.Client(
        broker.hostname or "127.0.0.1",
        broker.port or 1883,
        username=broker.username,
        password=broker.password,
        protocol=aiomqtt.ProtocolVersion.V5,
    ) as client:
        await client.subscribe("pokerd/v1/#")
        async for message in client.messages:
            for line in lines_of(json.loads(message.payload)):
                print(line, flush=True)


if __name__ == "__main__":
    try:
        asyncio.run(watch(sys.argv[1] if len(sys.argv) > 1 else "mqtt://127.0.0.1"))
    except KeyboardInterrupt:
        sys.exit(130)
    except aiomqtt.MqttError as error:
        sys.exit(f"cannot connect to the broker: {error}")
