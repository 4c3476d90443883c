"""A first bot. Run it in a second terminal, after `python -m pokerd serve` in the first."""

from pokerd_bot import Action, Bot, Turn, run


class Caller(Bot):
    """Calls bets of up to the pot, and folds to bigger ones."""

    def act(self, turn: Turn) -> Action:
        return turn.fold() if turn.to_call > turn.pot / 2 else turn.call()


if __name__ == "__main__":
    raise SystemExit(run(Caller))
