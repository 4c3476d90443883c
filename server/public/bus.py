"""What the house tells in public: one bus, which tables and competitions publish to without ever waiting.

A watcher (the link to an MQTT broker, a web page) subscribes and takes events at its own pace. Whoever is too
slow loses the oldest hands, and costs nobody else anything; of what is a state it always gets the latest.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Self

import structlog

from protocol.public import PublicEvent, TableList, is_retained, topic_of
from server.telemetry.metrics import WATCHER_DROPS

__all__ = ["EventBus", "Subscription"]

log = structlog.get_logger("pokerd.bus")

#: Events that wait for one watcher, apart from states, of which there is one a topic.
QUEUE_LIMIT: Final = 1000
#: Seconds for which changes of a state are gathered.
COALESCE_DELAY: Final = 1.0


class Subscription:
    """One watcher's events, to be taken with ``async for``; it ends with the bus, or with ``close``."""

    def __init__(self, watcher: str, limit: int) -> None:
        self.watcher = watcher
        self.limit = limit
        self.dropped = 0
        #: Less than half of what may wait does.
        self.has_room = asyncio.Event()
        self.has_room.set()
        self._drops = WATCHER_DROPS.labels(watcher)
        self._dropping = 0
        # States by topic, all else by number: a later state takes the place of the one that waits.
        self._queue: OrderedDict[str | int, PublicEvent] = OrderedDict()
        self._numbers: deque[int] = deque()
        self._number = 0
        self._closed = False
        self._arrived = asyncio.Event()

    def put(self, topic: str, event: PublicEvent) -> None:
        """Add an event; never waits."""
        if self._closed:
            return
        if is_retained(event):
            self._queue[topic] = event
        else:
            if len(self._numbers) == self.limit:
                self._drop_oldest()
            self._number += 1
            self._numbers.append(self._number)
            self._queue[self._number] = event
            if 2 * len(self._numbers) >= self.limit:
                self.has_room.clear()
        self._arrived.set()

    def _drop_oldest(self) -> None:
        del self._queue[self._numbers.popleft()]
        self.dropped += 1
        self._drops.inc()
        if not self._dropping:
            log.warning("watcher is too slow, its oldest events are dropped", watcher=self.watcher)
        self._dropping += 1

    def close(self) -> None:
        """What waits can still be taken; nothing is added any more."""
        self._closed = True
        self._arrived.set()
        self.has_room.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> PublicEvent:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        key, event = self._queue.popitem(last=False)
        if isinstance(key, int):
            self._numbers.popleft()
            if 2 * len(self._numbers) < self.limit:
                self.has_room.set()
            if self._dropping and not self._numbers:
                log.warning("watcher has caught up", watcher=self.watcher, dropped=self._dropping)
                self._dropping = 0
        return event


class EventBus:
    """The public events of one server. ``state`` is the latest of every topic that has a state. ``tables``:
    it is for this server to say which open tables there are.
    """

    def __init__(self, *, tables: bool = True) -> None:
        self.state: dict[str, PublicEvent] = {}
        self.closed = False
        self._subscriptions: set[Subscription] = set()
        self._pending: dict[str, tuple[asyncio.TimerHandle, Callable[[], PublicEvent]]] = {}
        if tables:
            # A broker may still have those of an earlier run.
            self.publish(TableList(tables=()))

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody would get an event that is published now."""
        return bool(self._subscriptions)

    def publish(self, event: PublicEvent) -> None:
        """Tell all watchers. Never waits; may be called from wherever the event loop runs."""
        topic = topic_of(event)
        if is_retained(event):
            self._cancel_pending(topic)
            self.state[topic] = event
        for subscription in self._subscriptions:
            subscription.put(topic, event)

    def publish_soon(self, topic: str, make: Callable[[], PublicEvent]) -> None:
        """Publish the state that ``make`` returns within ``COALESCE_DELAY`` seconds, once, however often it
        changes until then.
        """
        if topic not in self._pending and not self.closed:
            timer = asyncio.get_running_loop().call_later(COALESCE_DELAY, lambda: self.publish(make()))
            self._pending[topic] = timer, make

    def drop_state(self, topic: str) -> None:
        """Nothing more will be told of a state; who comes from now on does not hear of it."""
        self._cancel_pending(topic)
        self.state.pop(topic, None)

    def _cancel_pending(self, topic: str) -> None:
        gathered = self._pending.pop(topic, None)
        if gathered is not None:
            gathered[0].cancel()

    @contextmanager
    def subscribe(self, watcher: str, limit: int = QUEUE_LIMIT) -> Iterator[Subscription]:
        """Watch, from all states as they are now. ``watcher`` names it in the log; ``limit`` is how many
        events may wait.
        """
        subscription = Subscription(watcher, limit)
        for topic, event in self.state.items():
            subscription.put(topic, event)
        self._subscriptions.add(subscription)
        if self.closed:
            subscription.close()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            subscription.close()

    async def wait_for_room(self) -> None:
        """Wait until every watcher has taken most of what it was told: for whoever tells what has waited."""
        for subscription in list(self._subscriptions):
            await subscription.has_room.wait()

    def close(self) -> None:
        """Publish what is gathered; no more after that."""
        for _, make in list(self._pending.values()):
            self.publish(make())
        self.closed = True
        for subscription in self._subscriptions:
            subscription.close()
