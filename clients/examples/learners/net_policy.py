"""What the net of ``learn_ppo.py`` plays, without torch.

    LEARNED=ppo.npz python -m pokerd evaluate clients/examples/learners/net_policy.py:policy

The net is read from the file that the variable ``LEARNED`` names, by default ``ppo.npz``.
"""

from __future__ import annotations

import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clients.examples.learners.kernels import AT, Seen, strengths
from clients.examples.learners.learner import LEARNED


def features(seen: Seen) -> Seen:
    """Return the inputs of the net, float32[n, k]: strength, ranks and suits of the hand, and the betting."""
    cards = seen[:, : AT["street"]].reshape(-1, 4, 13, 4)
    own, board = cards[:, 0], cards[:, 1:].sum(axis=1)
    suited = own.max(axis=1).sum(axis=1, keepdims=True) == 1
    in_suit = board.sum(axis=1)
    suits = [in_suit.max(axis=1, keepdims=True), (in_suit * own.max(axis=1)).max(axis=1, keepdims=True)]
    # How often each player did what on each street.
    actions = seen[:, AT["history"] :].reshape(len(seen), -1, 10)
    did = np.einsum("nas,nap,nak->nspk", actions[:, :, :4], actions[:, :, 4:6], actions[:, :, 6:9])
    strong = strengths(seen)[:, np.newaxis]
    hand = [strong, strong**2, own.sum(axis=2), board.sum(axis=2), suited, *suits]
    # Without the stacks: where they never run out they are huge, and a net does not learn from such numbers.
    betting = [
        seen[:, AT["street"] : AT["stacks"]],
        seen[:, AT["bets"] : AT["folded"]],
        did.reshape(len(seen), -1),
    ]
    return np.hstack([*hand, *betting]).astype(np.float32)


def policy(seen: Seen, mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the legal actions that the net likes best, int64[n]."""
    value = features(seen)
    *hidden, (weight, bias) = _layers(os.environ.get(LEARNED, "ppo.npz"))
    for inner, shift in hidden:
        value = np.maximum(value @ inner.T + shift, 0)
    best: NDArray[np.int64] = np.where(mask, value @ weight.T + bias, -np.inf).argmax(axis=1)
    return best


@cache
def _layers(file: str) -> list[tuple[Seen, Seen]]:
    """Return weights and biases of each layer."""
    with np.load(file) as arrays:
        found = [arrays[name] for name in arrays.files]
    return list(zip(found[::2], found[1::2], strict=True))
