"""The event bus. Tables and competitions publish to it and never wait.

A watcher (the link to an MQTT broker, a web page) subscribes and takes events at its own pace. A slow watcher
loses the oldest hands and delays nobody; of a state, it always gets the latest value.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Self

from protocol.public import PublicEvent, TableList, is_retained, topic_of
from server.telemetry.logger import get_logger
from server.telemetry.metrics import WATCHER_DROPS

log = get_logger("pokerd.bus")

#: Events that may wait for one watcher, not counting states, of which there is one per topic.
QUEUE_LIMIT: Final = 1000
#: Seconds during which changes of a state are combined.
COALESCE_DELAY: Final = 1.0


class Subscription:
    """The events of one watcher, read with ``async for``. It ends with the bus, or with ``close``."""

    def __init__(self, watcher: str, limit: int) -> None:
        self.watcher = watcher
        self.limit = limit
        self.dropped = 0
        #: Set while less than half of the queue is used.
        self.has_room = asyncio.Event()
        self.has_room.set()
        self._drops = WATCHER_DROPS.labels(watcher)
        self._dropping = 0
        # States by topic, other events by number: a new state replaces the one that waits.
        self._queue: OrderedDict[str | int, PublicEvent] = OrderedDict()
        self._numbers: deque[int] = deque()
        self._number = 0
        self._closed = False
        self._arrived = asyncio.Event()

    def put(self, topic: str, event: PublicEvent) -> None:
        """Add an event without waiting."""
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
        """Accept no more events. Those in the queue can still be read."""
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
    """The public events of one server. ``state`` has the latest state of every topic. ``tables``: this server
    publishes the list of open tables.
    """

    def __init__(self, *, tables: bool = True) -> None:
        self.state: dict[str, PublicEvent] = {}
        self.closed = False
        self._subscriptions: set[Subscription] = set()
        self._pending: dict[str, tuple[asyncio.TimerHandle, Callable[[], PublicEvent]]] = {}
        if tables:
            # Clear the list of an earlier run, which a broker may have retained.
            self.publish(TableList(tables=()))

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody would receive an event that is published now."""
        return bool(self._subscriptions)

    def publish(self, event: PublicEvent) -> None:
        """Send an event to all watchers, without waiting. Call this in the event loop's thread."""
        topic = topic_of(event)
        if is_retained(event):
            self._cancel_pending(topic)
            self.state[topic] = event
        for subscription in self._subscriptions:
            subscription.put(topic, event)

    def publish_soon(self, topic: str, make: Callable[[], PublicEvent]) -> None:
        """Publish the state that ``make`` returns within ``COALESCE_DELAY`` seconds, only once for all
        changes until then.
        """
        if topic not in self._pending and not self.closed:
            timer = asyncio.get_running_loop().call_later(COALESCE_DELAY, lambda: self.publish(make()))
            self._pending[topic] = timer, make

    def drop_state(self, topic: str) -> None:
        """Forget a state; new watchers do not receive it."""
        self._cancel_pending(topic)
        self.state.pop(topic, None)

    def _cancel_pending(self, topic: str) -> None:
        gathered = self._pending.pop(topic, None)
        if gathered is not None:
            gathered[0].cancel()

    @contextmanager
    def subscribe(self, watcher: str, limit: int = QUEUE_LIMIT) -> Iterator[Subscription]:
        """Subscribe, starting with all current states. ``watcher`` is its name in the log; ``limit`` is how
        many events may wait.
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
        """Wait until every watcher has read at least half of its queue. For publishers of stored events."""
        for subscription in list(self._subscriptions):
            await subscription.has_room.wait()

    def close(self) -> None:
        """Publish pending states, then accept no more events."""
        for _, make in list(self._pending.values()):
            self.publish(make())
        self.closed = True
        for subscription in self._subscriptions:
            subscription.close()
