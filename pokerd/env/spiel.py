"""The rules of ``dealer.rules`` as a game of OpenSpiel, which has to be installed: ``open_spiel``.

Importing this module registers ``pokerd``; ``pyspiel.load_game("pokerd(game=holdem.limit.2p)")`` makes one.
``game`` is the name or the file of any game that ``dealer.rules.games.load_game`` reads. Actions are those of
``universal_poker``: 0 folds, 1 checks or calls; in limit games 2 raises, in no-limit games every other number is
a raise to so many chips in the hand. Where it plays the same game the two are equal, tensors aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import cards_text
from dealer.rules.events import Acted, BoardDealt
from dealer.rules.games import Game, load_game
from dealer.rules.hand import HandState
from pokerd.env.tables import DEFAULT_GAME
from strategy.batch.observation import HISTORY
from strategy.batch.view import Viewer
from strategy.situation import PastAction
