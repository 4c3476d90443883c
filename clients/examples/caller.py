"""The smallest bot: it calls everything. Start a server with `python -m pokerd serve`, then run this file."""

from pokerd import Action, Bot, Turn, run


class Caller(Bot):
    def act(self, turn: Turn) -> Action:
        if turn.to_call > 20 * turn.match.info.game.blinds[0]:
            return turn.fold()
        return turn.call()


if __name__ == "__main__":
    raise SystemExit(run(Caller))
