"""The entries of the inbox's list: questions of one call stand together.

Those that ask for what is hard to undo come first, then those with another risk; among equals the first to expire.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta, tzinfo
from itertools import takewhile
from typing import Any, Literal
from urllib.parse import urlencode

from webclient.domain.model import Alarm, Delivery, InputRequest, ListedRequest, Risk, now, weight_of
from webclient.inbox import kind_of, soon
from webclient.services import Services
from webclient.store import HistoryFilter, fitting
from webclient.web.http import in_one_line, named, render_shared
from webclient.web.pages.calls.call_status import title_for
from webclient.web.pages.inbox.cards import arguments_of

ROWS_SHOWN = 250
"""The number of open questions in the list; the others are counted, and move up."""

SETTLED_SHOWN = 10
"""The number of settled questions in the list, the newest."""

RECENT = timedelta(days=1)
"""How long a settled question stays in the list."""

MOST_COUNTED = 1000
"""The most recent answers that are counted."""

Section = Literal["waiting", "progress", "gone", "settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question in the list; `title` is that of the tool or prompt of its call, "" if unknown.

    `differing` are the arguments in which it differs from those that are alike, without the folder that all have in
    common; None if it stands alone.
    """

    request: ListedRequest
    title: str = ""
    differing: Mapping[str, Any] | None = None

    @property
    def state(self) -> str:
        """The state that the row shows."""
        if self.request.undoable:
            return "decided"
        return "saved" if is_saved(self.request) else self.request.state

    @property
    def asks(self) -> str:
        """What the person is asked for, in a few words."""
        return kind_of(self.request).asks(self.request)

    @property
    def headline(self) -> str:
        """The first line: what differs, the title of the tool that would run, or else the message."""
        if self.differing is not None:
            return named(self.differing) or self.arguments_line
        return str((self.request.brief or {}).get("title", "")) or self.request.words

    @property
    def is_proposed(self) -> bool:
        """Whether it asks for a call that would run, of which lists show the arguments."""
        return self.request.brief is not None

    @property
    def arguments_line(self) -> str:
        """The arguments of a proposed call in one line, "" if it has none."""
        brief = self.request.brief or {"arguments": {}, "many": 0}
        line, rest = named(brief["arguments"]), brief["many"] - len(brief["arguments"])
        return f"{line}, …" if rest else line

    @property
    def symbol(self) -> str:
        """The kind of the question, for its icon."""
        return kind_of(self.request).symbol(self.request)

    @property
    def alarm(self) -> Alarm | None:
        """What to warn of while it can be answered."""
        return self.request.alarm if self.request.open else None

    @property
    def risk(self) -> Risk | None:
        """The gravest that its call may do, while it waits."""
        return self.request.risk if self.state == "pending" else None

    @property
    def has_draft(self) -> bool:
        """Whether it waits, and something that was typed is saved."""
        return self.state == "pending" and self.request.has_draft

    @property
    def runs_out(self) -> datetime | None:
        """The deadline, if it is near."""
        return soon(self.request)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """The open questions of one call, with those of its round that are answered; or one question without a call.

    Or proposed calls that are alike, each of which waits. `key` is what these have in common, the id of the call, or
    else of the question. The questions are in the order of their round. `title` is that of the tool or prompt of the
    call, "" if unknown.
    """

    key: str
    requests: Sequence[ListedRequest]
    title: str = ""

    @property
    def rows(self) -> list[Row]:
        """The rows of the questions."""
        if not self.is_alike:
            return [Row(request=each, title=self.title) for each in self.requests]
        own = own_parts([(each.brief or {}).get("arguments", {}) for each in self.requests])
        return [Row(request=each, differing=parts) for each, parts in zip(self.requests, own, strict=True)]

    @property
    def is_alike(self) -> bool:
        """Whether it has proposed calls that may be decided on together."""
        return self.is_group and alike_of(self.requests[0]) == self.key

    @property
    def is_group(self) -> bool:
        """Whether the call has a line of its own."""
        return len(self.requests) > 1

    @property
    def arguments_line(self) -> str:
        """The arguments of the call if all fit beside its name, else ""."""
        return next((line for line in map(in_one_line, map(arguments_of, self.requests)) if line), "")

    @property
    def saved(self) -> int:
        """The number of questions that are answered and wait for the others."""
        return sum(is_saved(each) for each in self.requests)

    @property
    def section(self) -> Section:
        """The list in which it stands."""
        if any(each.pending for each in self.requests):
            return "waiting"
        return "progress" if any(each.open for each in self.requests) else "gone"

    @property
    def place(self) -> str:
        """Its place in the list, as a text that sorts like it: risk, deadline, then age."""
        open_requests = [each for each in self.requests if each.open]
        if not open_requests:
            return ""
        rank, deadline, age, position = min(_place(each) for each in open_requests)
        return f"{rank}-{deadline:08x}-{age:011x}-{position:04x}"

    def rendered(self, suffix: str, selected: Set[str] = frozenset()) -> str:
        """Return the entry as HTML, shared with all pages that show the same; links end with `suffix`.

        `selected` are the ids of selected questions, here and elsewhere.
        """
        here = sorted(selected & {each.id for each in self.requests})
        name = "\n".join([self.key, suffix, *here])
        return render_shared("requests/_entry.html", name, entry=self, suffix=suffix, selected=here)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxView:
    """The inbox as the page shows it, filtered to the server with the id `server_id` unless that is empty.

    `selected` are the ids of the questions whose boxes are ticked.
    """

    entries: Sequence[InboxEntry]
    settled: Sequence[Row]
    more: int
    server_id: str = ""
    selected: Set[str] = frozenset()

    @property
    def suffix(self) -> str:
        """The end of the address of each question."""
        return suffix_of(self.server_id)

    def of(self, section: Section) -> list[InboxEntry]:
        """Return the entries of one section."""
        return [entry for entry in self.entries if entry.section == section]

    def selecting(self, ids: Collection[str], all_of: str) -> InboxView:
        """Return it with these questions selected, and all of their "server" or "call" (`all_of`)."""
        chosen = [each for each in self.pending if each.id in ids]
        servers = {each.server_id for each in chosen} if all_of == "server" else set()
        calls = {each.call_id for each in chosen if each.call_id} if all_of == "call" else set()
        also = [each for each in self.pending if each.server_id in servers or each.call_id in calls]
        return replace(self, selected=frozenset(each.id for each in (*chosen, *also)))

    @property
    def in_progress(self) -> int:
        """The number of questions that are in progress elsewhere."""
        return sum(len(entry.requests) for entry in self.of("progress"))

    @property
    def pending(self) -> list[ListedRequest]:
        """The questions that wait for an answer, in the order of the list."""
        rows = [row.request for entry in self.entries for row in entry.rows]
        return [each for each in rows if each.pending and not each.decided]

    @property
    def first(self) -> ListedRequest | None:
        """The question that is shown if none is chosen: the first that waits, or else is open."""
        rows = [row.request for entry in self.entries for row in entry.rows]
        return next(iter([*self.pending, *(each for each in rows if each.open)]), None)


async def read_inbox(services: Services, user_id: str, server_id: str = "") -> InboxView:
    """Read the inbox of a user."""
    rows = await services.store.of(user_id).inbox.read(ROWS_SHOWN, now() - RECENT, SETTLED_SHOWN, server_id=server_id)
    return InboxView(
        entries=_titled(services, entries_of(rows.found)),
        settled=settled_rows(services, rows.settled),
        more=max(0, rows.open_count - sum(each.open for each in rows.found)),
        server_id=server_id,
    )


async def read_waiting(
    services: Services, user_id: str, call_id: str, server_id: str
) -> tuple[list[InputRequest], int]:
    """Return the first open questions, and how many more.

    They are those of one call or server, if given, and as many as fit into the bytes of a page.
    """
    listed, more = await list_waiting(services, user_id, call_id, server_id)
    ids = [each.id for each in listed[: fitting(each.size for each in listed)]]
    by_id = await services.store.of(user_id).requests.by_ids(ids) if ids else {}
    return [by_id[id_] for id_ in ids if id_ in by_id], more + len(listed) - len(ids)


async def list_waiting(
    services: Services, user_id: str, call_id: str, server_id: str
) -> tuple[list[ListedRequest], int]:
    """Return the open questions as in `read_waiting`, as lists show them."""
    view = await read_inbox(services, user_id, server_id)
    found = [each for entry in view.entries for each in entry.requests if each.open or is_saved(each)]
    listed = [each for each in found if call_id in ("", each.call_id)]
    return listed, 0 if call_id else view.more


async def read_entries(services: Services, user_id: str, requests: Iterable[ListedRequest]) -> list[InboxEntry]:
    """Return the entries of these requests, also those without an open one."""
    changed = list(requests)
    calls = {each.call_id for each in changed if each.call_id}
    alike = {key for each in changed if (key := _alike_key(each))}
    inbox = services.store.of(user_id).inbox
    found = await inbox.of_calls(calls) if calls else []
    found += await inbox.alike(alike) if alike else []
    alone = [each for each in changed if each.call_id is None and each.open]
    entries = _titled(services, entries_of({each.id: each for each in [*alone, *found]}.values()))
    gone = {key for each in changed for key in _keys(each)} - {entry.key for entry in entries}
    return [*entries, *(InboxEntry(key=key, requests=()) for key in gone)]


@dataclass(frozen=True, slots=True)
class Recent:
    """How many questions were `settled` in the last day, and how many the person has `answered` since midnight."""

    settled: int
    answered: int = 0


async def count_recent(
    services: Services, user_id: str, zone: tzinfo, server_id: str = "", *, is_empty: bool
) -> Recent:
    """Count recent questions, up to `MOST_COUNTED`; answers, in the day of the zone, only if the list `is_empty`."""
    user = services.store.of(user_id)
    settled = await user.inbox.count_done(now() - RECENT, MOST_COUNTED, server_id=server_id)
    if not (settled and is_empty):
        return Recent(settled)
    midnight = datetime.combine(now().astimezone(zone).date(), time(), zone)
    wanted = HistoryFilter(kind="request", mine=True, server_id=server_id or None, since=midnight)
    return Recent(settled, min(await user.history.count(wanted), MOST_COUNTED))


def entries_of(requests: Iterable[ListedRequest]) -> list[InboxEntry]:
    """Return the requests in entries, in the order of the list."""
    by_key: dict[str, list[ListedRequest]] = {}
    for each in requests:
        by_key.setdefault(_key(each), []).append(each)
    entries = [InboxEntry(key=key, requests=tuple(sorted(found, key=_place))) for key, found in by_key.items()]
    return sorted((each for each in entries if each.section != "gone"), key=lambda entry: entry.place)


def _titled(services: Services, entries: Iterable[InboxEntry]) -> list[InboxEntry]:
    return [replace(each, title=title_for(services, each.requests[0])) for each in entries]


def settled_rows(services: Services, requests: Iterable[ListedRequest]) -> list[Row]:
    """Return the rows of settled questions."""
    return [Row(request=each, title=title_for(services, each)) for each in requests]


def next_after(request: InputRequest, view: InboxView) -> ListedRequest | None:
    """Return the question after this one in the list, or the first; None if no other waits."""
    others = [each for each in view.pending if each.id != request.id]
    later = [each for each in others if _place(each) > _place(request)]
    return next(iter([*later, *others]), None)


def suffix_of(server_id: str) -> str:
    """Return the end of an address that keeps the filter; `server_id` may be any text from an address, or ""."""
    return f"?{urlencode({'server': server_id})}" if server_id else ""


def is_saved(request: ListedRequest) -> bool:
    """Return whether its answer waits for the others of its round."""
    return request.delivery is Delivery.SAVED


def own_parts(all_arguments: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the arguments of each that differ, without their common folder."""
    names = [name for name in all_arguments[0] if len({str(each.get(name)) for each in all_arguments}) > 1]
    folders = {name: _folder([each.get(name) for each in all_arguments]) for name in names}
    return [{name: _without(folders[name], each.get(name)) for name in names} for each in all_arguments]


def _folder(values: Sequence[Any]) -> str:
    texts = [each for each in values if isinstance(each, str)]
    if len(texts) < len(values):
        return ""
    # What the first and the last in order have in common, all have.
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(texts), max(texts), strict=False))
    common = "".join(char for char, _same in pairs)
    return common[: max(common.rfind("/"), common.rfind("\\")) + 1]


def _without(folder: str, value: Any) -> Any:
    return f"…{value[len(folder) - 1 :]}" if folder else value


def alike_of(request: ListedRequest) -> str:
    """Return the key of the calls that are like it, "" if it stands alone.

    One with a draft has its own arguments by now, and one that is decided is sent soon.
    """
    waits = request.pending and not request.decided and not request.has_draft and request.alarm is None
    return _alike_key(request) if waits else ""


def _alike_key(request: ListedRequest) -> str:
    return str((request.brief or {}).get("alike", ""))


def _key(request: ListedRequest) -> str:
    return alike_of(request) or request.call_id or request.id


def _keys(request: ListedRequest) -> set[str]:
    """Return the keys of all entries in which it may have been."""
    return {_alike_key(request) or request.id, request.call_id or request.id}


def _place(request: InputRequest | ListedRequest) -> tuple[int, int, int, int]:
    deadline = int(request.expires_at.timestamp()) if request.expires_at else 0xFFFFFFFF
    # A wanted sign-in has 0.
    return 3 - weight_of(request.risk), deadline, int(request.created_at.timestamp() * 1000), request.position
