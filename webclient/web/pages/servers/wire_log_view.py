"""The wire log as pages show it: the same object for the page, the foldable region and every push."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from webclient.content.forms import write_json
from webclient.content.visible_text import visible
from webclient.domain.durations import duration
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, Server
from webclient.protocol.wire_log import Direction, LogFilter, MessageKind, WireLogEntry
from webclient.services import Services

SHOWN = 100
"""Messages on one page."""

MOST_METHODS = 60
"""Methods to choose from; a server may make up any number."""

READ_CHARACTERS = 20_000
"""Characters of a message that is read for a page with many; of a longer one only the beginning is."""

SHOWN_CHARACTERS = 4_000
"""Characters of a message on the page; the whole message has a page of its own."""

_LONGEST_FILTER = 200

_REQUESTS = ("elicitation/create", "sampling/createMessage")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSubject:
    """The messages that a page shows: those of a server, or of one `call` of it, that are `wanted`."""

    server: Server
    call: Call | None = None
    wanted: LogFilter


@dataclass(frozen=True, slots=True)
class Line:
    """A message in a list, or whole on its own page (`is_whole`)."""

    entry: WireLogEntry
    is_whole: bool = False

    @property
    def moment(self) -> str:
        """The moment for the `datetime` of a `<time>`; static/js/wire_log.js makes the local time of it."""
        return self.entry.at.astimezone(UTC).isoformat(timespec="milliseconds")

    @property
    def clock(self) -> str:
        """The time in UTC."""
        return self.entry.at.astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]

    @property
    def took(self) -> str:
        """The time until the response came, or "" if it is none."""
        seconds = self.entry.took
        if seconds is None:
            return ""
        return _("{n} ms").format(n=round(seconds * 1000)) if seconds < 1 else duration(timedelta(seconds=seconds))

    @property
    def is_poll(self) -> bool:
        """Whether it asks for the state of a task, or answers that."""
        return self.entry.method == "tasks/get"

    @property
    def input_requests(self) -> str:
        """The names of the requests to the person that the message brings, or ""."""
        entry, content = self.entry, self.entry.content or {}
        if entry.direction is Direction.SENT:
            return ""
        if entry.kind is MessageKind.REQUEST and entry.method in _REQUESTS:
            return f"{entry.id}"
        result = content.get("result")
        requests = result.get("inputRequests") if isinstance(result, dict) else None
        return " ".join(sorted(map(str, requests))) if isinstance(requests, dict) else ""

    @property
    def text(self) -> str:
        """The message as indented JSON, or its beginning, or "" if it has no text."""
        text = self._text
        return visible(text, len(text) if self.is_whole else SHOWN_CHARACTERS, newlines=True)

    @property
    def is_cut(self) -> bool:
        """Whether there is more than `text`."""
        was_not_read = self.entry.is_abridged and self.entry.is_stored
        return not self.is_whole and (was_not_read or len(self._text) > SHOWN_CHARACTERS)

    @property
    def _text(self) -> str:
        return self.entry.beginning if self.entry.content is None else write_json(self.entry.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """The wire log of a server, or of one `call` of it.

    `lines` are oldest first; `older` is the number of the first if there are matching ones before it. `dropped` are
    gone because of the bounds. `cursor` names the newest message, and `is_on` says whether messages are stored at all.
    `file` is the path to which they are written as well, or "".
    `from_start`: the page has another log, and must drop what it shows of that.
    """

    server: Server
    call: Call | None
    wanted: LogFilter
    lines: Sequence[Line]
    older: int | None
    dropped: int
    cursor: str
    methods: Sequence[str]
    is_on: bool
    file: str
    from_start: bool = False

    @property
    def path(self) -> str:
        """The path of the page, without the first slash."""
        return f"calls/{self.call.id}/log" if self.call else f"servers/{self.server.id}/log"

    @property
    def is_past(self) -> bool:
        """Whether it ends before the newest message, so new ones do not belong to it."""
        return self.wanted.before is not None

    @property
    def is_filtered(self) -> bool:
        """Whether a person has set a filter."""
        return bool(self.wanted.method or self.wanted.direction or self.wanted.text)

    def query(self, **more: object) -> str:
        """Return the query string of this log."""
        wanted = self.wanted
        texts = {"method": wanted.method, "direction": wanted.direction, "q": wanted.text, "after": wanted.after}
        return urlencode({name: str(value) for name, value in (texts | more).items() if value})


def read_subject(query: QueryParams, server: Server, call: Call | None = None) -> LogSubject:
    """Return the subject that an address names; what is not a filter in its query is ignored."""
    direction = query.get("direction")
    wanted = LogFilter(
        call_id=call.id if call else None,
        after=_number(query.get("after")) or 0,
        before=_number(query.get("before")),
        method=query.get("method", "")[:_LONGEST_FILTER],
        direction=Direction(direction) if direction in tuple(Direction) else None,
        text=query.get("q", "").strip()[:_LONGEST_FILTER],
    )
    return LogSubject(server=server, call=call, wanted=wanted)


async def read_log_view(services: Services, subject: LogSubject, longest: int = READ_CHARACTERS) -> LogView:
    """Read the newest messages of the subject; of one that is longer than `longest`, the beginning."""
    server, wanted = subject.server, subject.wanted
    log = services.wire_logs.of(server.key)
    complete = log.complete
    until = min(wanted.before or complete + 1, complete + 1)
    methods = {message.method for message in log.messages if message.method}
    found = await services.log_reader.newest(server.key, replace(wanted, before=until), SHOWN + 1, longest)
    return LogView(
        server=server,
        call=subject.call,
        wanted=wanted,
        lines=[Line(entry) for entry in found[-SHOWN:]],
        older=found[1].number if len(found) > SHOWN else None,
        dropped=log.dropped,
        cursor=f"{log.epoch}-{complete}",
        methods=sorted(methods)[:MOST_METHODS],
        is_on=services.wire_logs.is_on,
        file=str(services.settings.wire_log or ""),
    )


async def read_news(services: Services, subject: LogSubject, seen: str) -> LogView:
    """Read the messages after the cursor `seen`, or all if that is of another log."""
    wanted = subject.wanted
    log = services.wire_logs.of(subject.server.key)
    epoch, _dash, number = seen.partition("-")
    is_same = epoch == log.epoch
    after = max((_number(number) or 0) if is_same else 0, wanted.after)
    news = await read_log_view(services, replace(subject, wanted=replace(wanted, after=after)))
    return replace(news, from_start=not is_same)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
