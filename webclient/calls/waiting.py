"""Marks the calls that wait for a pushed request, in the units of work that store the request and its answer.

A call that waits for several requests is counted for each. Units of work that are on their way at the same time may
leave a row behind the counts for a moment; the last `waits` puts it right.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager

import anyio

from webclient.calls.running import RunningCall
from webclient.domain.model import Json
from webclient.store import CallChange


class WaitingCalls:
    """The calls to which a request may belong: one waits for it, or each of several may wait."""

    def __init__(self, calls: Sequence[RunningCall]) -> None:
        self._calls = calls
        self._each = "waiting" if len(calls) == 1 else "may_wait"
        self._counted = 0
        self._has_ended = False

    @contextmanager
    def begin(self) -> Iterator[Collection[CallChange]]:
        """Give the changes that the block writes together with the request."""
        self._count(1)
        with ExitStack() as stack:
            yield self._changes(stack, {call.call.id: call.columns_after() for call in self._calls}, {"round": 1})

    async def begin_again(self) -> None:
        """Mark the calls for a request that is in the store already."""
        self._count(1)
        for call in self._calls:
            await call.show_waiting()

    @contextmanager
    def end(self) -> Iterator[Collection[CallChange]]:
        """Give the changes that the block writes together with the answer."""
        # Counted at once: of several that are answered together, the last moves their call on.
        self._count(0)
        try:
            with ExitStack() as stack:
                yield self._changes(stack, {call.call.id: call.columns_after() for call in self._calls}, {})
        except BaseException:
            if not self._has_ended:
                self._count(1)
            raise

    async def ended(self) -> None:
        """Mark what is not yet as it should be."""
        self._has_ended = True
        self._count(0)
        for call in self._calls:
            await call.show_waiting()

    def _count(self, times: int) -> None:
        for call in self._calls:
            call.count(**{self._each: times - self._counted})
        self._counted = times

    def _changes(self, stack: ExitStack, columns: dict[str, Json], also: Json) -> list[CallChange]:
        changed = [call for call in self._calls if columns[call.call.id]]
        return [stack.enter_context(call.changing(**columns[call.call.id] | also)) for call in changed]


@asynccontextmanager
async def waiting_calls(calls: Sequence[RunningCall]) -> AsyncIterator[WaitingCalls]:
    """Give what marks the calls; after the block they wait no more for this request."""
    waiting = WaitingCalls(calls)
    try:
        yield waiting
    finally:
        # Shielded: the block is cancelled when the server withdraws its request, and the calls continue.
        with anyio.CancelScope(shield=True):
            await waiting.ended()
