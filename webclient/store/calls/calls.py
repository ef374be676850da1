"""The calls that users started, from their start to their result."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    null,
    or_,
    select,
    true,
    tuple_,
    type_coerce,
    update,
)

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Agent, Call, CallKind, CallState, Json, Report, Task, TaskStatus, Trace, Via, now
from webclient.domain.reasons import words_of
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.reasons import call_error, error_json
from webclient.store.database.search import result_text_of, search_text_of, values_text_of
from webclient.store.database.secrets import erase_answer_secrets, split_secrets
from webclient.store.database.sizes import about_size, fitting
from webclient.store.database.tables import Moment, calls, requests
from webclient.store.database.user_rows import UserRows, also_own

OPEN = (CallState.RUNNING, CallState.INPUT_REQUIRED)

_NOT_FIELDS = {"search_text", "values_text", "secrets", "owner", "generation", "size", "result_size"}


LONG_ARGUMENTS = 20_000
"""About the bytes of arguments above which lists of calls do without them; they show a line of them."""


def _select(*left_out: str) -> Select[Any]:
    return select(*(column for column in calls.c if column.name not in ("values_text", *left_out)))


def select_listed() -> Select[Any]:
    """Return the query for rows of lists: without results, checkpoints, secrets and long arguments."""
    short = type_coerce(case((calls.c.size <= LONG_ARGUMENTS, calls.c.arguments), else_=null()), calls.c.arguments.type)
    return _select("result", "checkpoint", "secrets", "arguments").add_columns(short.label("arguments"))


_OWN = calls.c.user_id == bindparam("of_user")
_WITH_ID = calls.c.id == bindparam("with_id")
_OF_SERVER = calls.c.server_id == bindparam("of_server")
_OPEN = calls.c.state.in_(OPEN)

_GET = select(calls).where(_OWN, _WITH_ID)
_WHOLE_BY_IDS = select(calls).where(also_own(calls), calls.c.id.in_(bindparam("ids", expanding=True)))
_BY_IDS = _select("result").where(also_own(calls), calls.c.id.in_(bindparam("ids", expanding=True)))
_LISTED_BY_IDS = select_listed().where(also_own(calls), calls.c.id.in_(bindparam("ids", expanding=True)))
# Sorted after they are read: SQLite would rather walk through the history in the right order.
_OPEN_PLACES = select(calls.c.created_at, calls.c.id).where(_OWN, _OPEN)
_COUNT_OPEN = select(func.count()).where(_OWN, _OF_SERVER, _OPEN)
_ADD = insert(calls)
_CHANGE = update(calls).where(also_own(calls), _WITH_ID, _OPEN).returning(calls.c.withheld)
_NOTE = update(calls).where(also_own(calls), _WITH_ID)
_ENDED_OF_AGENTS = (
    _select("result", "checkpoint")
    .where(_OWN, calls.c.updated_at > bindparam("since", type_=Moment), calls.c.via == Via.AGENT)
    .where(calls.c.state.in_((CallState.DONE, CallState.FAILED, CallState.CANCELLED)), calls.c.erased_at.is_(None))
    .where(exists().where(requests.c.call_id == calls.c.id))
    .order_by(calls.c.updated_at.desc(), calls.c.id.desc())
    .limit(bindparam("most"))
)
_OF_AGENTS = (
    select_listed()
    .where(_OWN, calls.c.created_at > bindparam("since", type_=Moment), calls.c.via == Via.AGENT)
    .where(tuple_(calls.c.created_at, calls.c.id) < tuple_(bindparam("moment", type_=Moment), bindparam("before_id")))
    .order_by(calls.c.created_at.desc(), calls.c.id.desc())
    .limit(bindparam("most"))
)
_END = _CHANGE.values(
    search_text=calls.c.search_text + bindparam("words"), values_text=calls.c.values_text + bindparam("value_words")
)


_PLACES = select(calls.c.id, calls.c.size, calls.c.result_size)


@cache
def _find(*, state: bool, server: bool, before: bool, whole: bool) -> Select[Any]:
    """Return the query for the newest calls that match what is given, or their ids and sizes."""
    found = (select_listed() if whole else _PLACES).where(_OWN)
    if state:
        found = found.where(calls.c.state == bindparam("of_state"))
    if server:
        found = found.where(_OF_SERVER)
    if before:
        place = tuple_(bindparam("moment", type_=Moment), bindparam("before_id"))
        found = found.where(tuple_(calls.c.created_at, calls.c.id) < place)
    return found.order_by(calls.c.created_at.desc(), calls.c.id.desc()).limit(bindparam("most"))


_LISTED = {
    None: true(),
    CallState.DONE: and_(calls.c.state == CallState.DONE, calls.c.tool_failed.is_(False)),
    CallState.FAILED: or_(calls.c.state == CallState.FAILED, calls.c.tool_failed.is_(True)),
}
"""The conditions of states as lists of calls have them: a tool that failed is among the failed calls."""

LISTED_AMONG = 5_000
"""The number of newest calls among which those of one state are looked for."""

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_LISTED_SINCE = (
    select(calls.c.created_at).where(_OWN).order_by(calls.c.created_at.desc(), calls.c.id.desc()).offset(LISTED_AMONG)
)


@cache
def _listed(state: CallState | None) -> Select[Any]:
    """Return the query for the newest calls of a state, in no order if they are few."""
    found = select_listed().where(_OWN, _LISTED.get(state, calls.c.state == state))
    if state in OPEN:
        return found
    since = found.where(calls.c.created_at >= bindparam("since"))
    return since.order_by(calls.c.created_at.desc(), calls.c.id.desc()).limit(bindparam("most"))


@dataclass(slots=True)
class CallChange:
    """Columns of an open call, to be set in the unit of work that writes something else.

    `is_written` tells afterwards whether they were. If the call has ended, and the change is `required`, nothing of
    that unit is written.
    """

    call_id: str
    values: Json
    required: bool = False
    is_written: bool = False


class UserCalls(UserRows):
    """The calls of one user."""

    @reads
    def find(
        self, db: Connection, *, state: str | None = None, server_id: str | None = None, limit: int = 200
    ) -> list[Call]:
        """Return the newest `limit` calls that match, newest first, as lists show them: without what may be long."""
        newest = _find(state=state is not None, server=server_id is not None, before=False, whole=True)
        found = db.execute(newest, self._own(of_state=state, of_server=server_id, most=limit))
        return [call_of(row) for row in found]

    @reads
    def page(
        self,
        db: Connection,
        *,
        state: str | None = None,
        server_id: str | None = None,
        before: Call | None = None,
        limit: int = 200,
        with_results: bool = False,
    ) -> tuple[list[Call], bool]:
        """Return the newest `limit` calls that match, and whether there are older ones.

        Only those `before` a call, if one is given. There may be fewer: as many as fit into the bytes of a page.
        """
        newest = _find(state=state is not None, server=server_id is not None, before=before is not None, whole=False)
        wanted = self._own(of_state=state, of_server=server_id, most=limit + 1)
        if before is not None:
            wanted |= {"moment": before.created_at, "before_id": before.id}
        places = db.execute(newest, wanted).all()
        count = fitting(row.size + row.result_size * with_results for row in places[:limit])
        ids = [row.id for row in places[:count]]
        found = calls_by_ids(db, self._own(), ids, with_results=with_results) if ids else {}
        return [found[id_] for id_ in ids], len(places) > count

    @reads
    def listed(self, db: Connection, state: CallState | None, limit: int) -> list[Call]:
        """Return the newest calls of a state, newest first, as in `find`; ended calls only among the newest.

        A call whose tool reported an error is FAILED here and not DONE.
        """
        found = db.execute(_listed(state), self._own(since=listed_since(db, self._own()), most=limit))
        return sorted(map(call_of, found), key=lambda call: (call.created_at, call.id), reverse=True)[:limit]

    @reads
    def open_ids(self, db: Connection) -> list[str]:
        """Return the ids of the user's calls that have not ended, oldest first."""
        return [row.id for row in sorted(db.execute(_OPEN_PLACES, self._own()))]

    @reads
    def count_open(self, db: Connection, server_id: str) -> int:
        """Return how many of the user's calls of this server have not ended."""
        return db.execute(_COUNT_OPEN, self._own(of_server=server_id)).scalar_one()

    @reads
    def get(self, db: Connection, call_id: str) -> Call:
        """Return one call; raises NotFoundError, also for a call of another user."""
        found = db.execute(_GET, self._own(with_id=call_id)).one_or_none()
        if found is None:
            raise NotFoundError(_("There is no call “{id}”.").format(id=call_id))
        return call_of(found)

    async def by_ids(self, call_ids: Collection[str | None]) -> dict[str, Call]:
        """Return the calls with these ids, by id and without their results; None is ignored."""
        wanted = [call_id for call_id in call_ids if call_id is not None]
        return await self._by_ids(wanted) if wanted else {}

    async def listed_by_ids(self, call_ids: Collection[str]) -> dict[str, Call]:
        """Return the calls with these ids, by id, as lists show them."""
        return await self._listed_by_ids(call_ids) if call_ids else {}

    @reads
    def _listed_by_ids(self, db: Connection, ids: Collection[str]) -> dict[str, Call]:
        return listed_calls(db, self._own(), ids)

    @reads
    def _by_ids(self, db: Connection, ids: list[str]) -> dict[str, Call]:
        return {row.id: call_of(row) for row in db.execute(_BY_IDS, self._own(ids=ids))}

    @writes
    def add(self, db: Connection, call: Call) -> None:
        """Add a new call."""
        self._check_owner(call.user_id)
        error = call.error and error_json(call.error)
        row = asdict(call) | self._node.columns
        row |= {"error": error, "task": call.task and task_json(call.task), "reports": row["reports"] or None}
        row["search_text"] = search_text_of(call.server_label, call.name)
        row |= {
            "size": about_size(call.arguments) + about_size(call.agent and call.agent.params),
            "result_size": about_size(call.result),
        }
        if call.withheld:
            row["arguments"], row["secrets"] = split_secrets(call.arguments or {}, call.withheld)
        # Not of the secrets, nor of their names beside null.
        row["values_text"] = f"{values_text_of(call.shown_arguments)}\n{result_text_of(call.result)}"
        db.execute(_ADD, row)

    @writes
    def change(self, db: Connection, /, call_id: str, **values: Any) -> bool:
        """Set columns of an open call; False if it has ended, and then nothing is changed."""
        return change_call(db, self._own(), call_id, values)

    @writes
    def note_task(self, db: Connection, call_id: str, task: Task) -> None:
        """Save the newest status of the task of a call that may have ended; nothing else changes."""
        db.execute(_NOTE, self._own(with_id=call_id, task=task_json(task)))

    @writes
    def note_agent(self, db: Connection, call_id: str, agent: Agent) -> None:
        """Save what is known of the agent of a call that may have ended; nothing else changes."""
        db.execute(_NOTE, self._own(with_id=call_id, agent=asdict(agent)))

    @reads
    def of_agents(self, db: Connection, since: datetime, before: tuple[datetime, str] | None, limit: int) -> list[Call]:
        """Return the newest calls of agents since then, without results; `before` are the moment and id of a call."""
        moment, before_id = before or (now() + timedelta(days=1), "")
        wanted = self._own(since=since, moment=moment, before_id=before_id, most=limit)
        return [call_of(row) for row in db.execute(_OF_AGENTS, wanted)]

    @reads
    def not_taken(self, db: Connection, since: datetime, limit: int) -> list[Call]:
        """Return the newest calls of agents that have ended since without their result being taken."""
        found = map(call_of, db.execute(_ENDED_OF_AGENTS, self._own(since=since, most=limit)))
        return [call for call in found if call.agent and not call.agent.taken]


def change_call(db: Connection, own: Json, call_id: str, values: Json) -> bool:
    """Set columns of an open call, within a unit of work; False if it has ended. `own` names the user."""
    ends = CallState(values.get("state", CallState.RUNNING)).ended
    columns = {**own, **values, "with_id": call_id, "updated_at": now()}
    columns |= {"checkpoint": None, "secrets": None} if ends else {}
    if task := values.get("task"):
        columns["task"] = task_json(task)
    if "arguments" in values:
        # Also those without secrets: the secrets of the former ones are not among them.
        columns["arguments"], columns["secrets"] = split_secrets(values["arguments"], values["withheld"])
    words = {"words": "", "value_words": ""}
    if result := values.get("result"):
        columns["tool_failed"] = bool(result.get("isError"))
        columns["result_size"] = about_size(result)
        words["value_words"] = "\n" + result_text_of(result)
    if error := values.get("error"):
        columns["error"] = error_json(error)
        words["words"] = "\n" + search_text_of(*words_of(error.reason))
    says_more = any(words.values())
    changed = db.execute(_END if says_more else _CHANGE, columns | words if says_more else columns).one_or_none()
    if changed is not None and ends:
        if changed.withheld:
            scrub_after(db)
        erase_answer_secrets(db, own["of_user"], call_id)
    return changed is not None


def write_changes(db: Connection, own: Json, changes: Collection[CallChange]) -> bool:
    """Change calls within a unit of work, the required ones first; False if one of those has ended."""
    for change in sorted(changes, key=lambda each: not each.required):
        change.is_written = change_call(db, own, change.call_id, change.values)
        if change.required and not change.is_written:
            return False
    return True


def calls_by_ids(db: Connection, own: Json, ids: Collection[str], *, with_results: bool = True) -> dict[str, Call]:
    """Return calls by id, within a unit of work; `own` names the user."""
    by_ids = _WHOLE_BY_IDS if with_results else _BY_IDS
    return {row.id: call_of(row) for row in db.execute(by_ids, {**own, "ids": list(ids)})}


def listed_calls(db: Connection, own: Json, ids: Collection[str]) -> dict[str, Call]:
    """Return calls by id as lists show them, within a unit of work; `own` names the user."""
    return {row.id: call_of(row) for row in db.execute(_LISTED_BY_IDS, {**own, "ids": list(ids)})}


def listed_since(db: Connection, own: Json) -> datetime:
    """Return when the oldest call began among which lists look, within a unit of work; `own` names the user."""
    return db.execute(_LISTED_SINCE.limit(1), own).scalar() or _FIRST


def call_of(row: Row[Any]) -> Call:
    """Return the call of a row, with its secrets while they are stored."""
    values = {name: value for name, value in row._mapping.items() if name not in _NOT_FIELDS}
    values["withheld"] = tuple(row.withheld or ())
    values["error"] = row.error and call_error(row.error)
    values["task"] = row.task and task_of(row.task)
    values["agent"] = row.agent and Agent(**row.agent)
    values["reports"] = tuple(map(Report.of, row.reports or ()))
    values["trace"] = row.trace and Trace(**row.trace)
    if row._mapping.get("secrets"):
        values["arguments"] = {**row.arguments, **row.secrets}
    return Call(**{**values, "kind": CallKind(row.kind), "state": CallState(row.state), "via": Via(row.via)})


_MOMENTS = ("created_at", "updated_at", "received_at")


def task_json(task: Task) -> Json:
    """Return the task as it is stored."""
    return asdict(task) | {name: (moment := getattr(task, name)) and moment.isoformat() for name in _MOMENTS}


def task_of(stored: Json) -> Task:
    """Return the task that `task_json` has stored."""
    moments = {name: stored[name] and datetime.fromisoformat(stored[name]) for name in _MOMENTS}
    return Task(**{**stored, **moments, "status": TaskStatus(stored["status"])})
