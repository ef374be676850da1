"""Redraws pictures from servers so that a browser can show them at a known cost.

One picture is drawn at a time, in a separate process (`worker.py`), and users take turns. Results and refusals are
cached, and a server that sent several too costly pictures has no more drawn for some time.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from time import monotonic
from weakref import WeakValueDictionary

from webclient.content.pictures.process import DrawingProcess, TooCostlyError
from webclient.domain.model import ServerKey
from webclient.domain.shares import Places, ShareTakenError
from webclient.support import background

ICON_BOX = 64
"""Pixels of an icon's longer side: twice what is shown, for dense screens."""

RESULT_BOX = 1600
"""Pixels of the longer side of a picture in a result."""

MOST_BYTES = 20 * 2**20
"""The largest picture that is drawn; larger ones can be downloaded."""

WAITING = 20
"""Pictures of one user that may wait to be drawn; the pictures of users are drawn in turn."""

REMEMBERED_BYTES = 16 * 2**20
REMEMBERED = 1000
"""Limits of the cache of results and refusals."""

STRIKES = 3
"""Too costly pictures after which a server has no more drawn for `PENALTY` seconds."""

PENALTY = 600.0
IDLE = 30.0
"""Seconds without work after which the process ends."""


class PictureRefusal(StrEnum):
    """Why a picture is not shown."""

    UNREADABLE = "unreadable"
    LARGE = "large"
    COSTLY = "costly"
    PENALTY = "penalty"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture that this program encoded itself: a PNG or a JPEG."""

    data: bytes

    @property
    def media_type(self) -> str:
        """Its MIME type."""
        return "image/png" if self.data.startswith(b"\x89PNG") else "image/jpeg"


class Pictures:
    """Draws, caches and refuses pictures; call `close` at the end."""

    def __init__(self) -> None:
        self._process = DrawingProcess()
        self._turn = asyncio.Lock()
        self._waiting = Places(WAITING)
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._known: OrderedDict[bytes, Drawn | PictureRefusal] = OrderedDict()
        self._known_bytes = 0
        self._strikes: Counter[ServerKey] = Counter()
        self._last_strike: dict[ServerKey, float] = {}
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def draw(self, owner: ServerKey, data: bytes, box: int, *, vector: bool) -> Drawn | PictureRefusal:
        """Return the redrawn picture, or why it is refused; `owner` sent it, `vector`: as SVG."""
        key = sha256(data + bytes([vector]) + box.to_bytes(4)).digest()
        if known := self._known.get(key):
            return known
        if len(data) > MOST_BYTES:
            return PictureRefusal.LARGE
        user_id = owner[0]
        line = self._lines.setdefault(user_id, asyncio.Lock())
        try:
            # Of each user, only the first one of their line waits for the turn.
            with self._waiting.taken(user_id, PictureRefusal.BUSY):
                async with line, self._turn:
                    if self._is_punished(owner):
                        return PictureRefusal.PENALTY
                    drawn = self._known.get(key) or await self._draw(owner, data, box, vector=vector)
        except ShareTakenError:
            return PictureRefusal.BUSY
        self._remember(key, drawn)
        return drawn

    async def close(self) -> None:
        """End the process."""
        if self._idle:
            self._idle.cancel()
        await self._process.end()

    async def _draw(self, owner: ServerKey, data: bytes, box: int, *, vector: bool) -> Drawn | PictureRefusal:
        if self._idle:
            self._idle.cancel()
        try:
            is_drawn, answer = await self._process.draw(data, box, vector=vector)
        except TooCostlyError:
            is_drawn, answer = False, PictureRefusal.COSTLY.encode()
        finally:
            self._idle = asyncio.get_running_loop().call_later(IDLE, self._end_idle)
        if is_drawn:
            return Drawn(answer)
        refusal = PictureRefusal(answer.decode())
        if refusal is PictureRefusal.COSTLY:
            self._strike(owner)
        return refusal

    def _strike(self, owner: ServerKey) -> None:
        self._forget_old_strikes()
        self._strikes[owner] += 1
        self._last_strike[owner] = monotonic()

    def _is_punished(self, owner: ServerKey) -> bool:
        self._forget_old_strikes()
        return self._strikes[owner] >= STRIKES

    def _forget_old_strikes(self) -> None:
        # Of all servers: one that was removed is never asked about again.
        old = [owner for owner, at in self._last_strike.items() if monotonic() - at >= PENALTY]
        for owner in old:
            del self._strikes[owner], self._last_strike[owner]

    def _remember(self, key: bytes, drawn: Drawn | PictureRefusal) -> None:
        if key not in self._known:
            self._known_bytes += _size(drawn)
        self._known[key] = drawn
        while len(self._known) > REMEMBERED or self._known_bytes > REMEMBERED_BYTES:
            _oldest, forgotten = self._known.popitem(last=False)
            self._known_bytes -= _size(forgotten)

    def _end_idle(self) -> None:
        self._idle = None
        if not self._turn.locked():
            self._ending = background.start(self._process.end(), name="end of pictures")


def _size(drawn: Drawn | PictureRefusal) -> int:
    return len(drawn.data) if isinstance(drawn, Drawn) else 0
