"""The rules on calls of agents: those of each user, and those of administrators, which stand above them.

Each call of an agent needs them, so they stay in memory, and are read again when another process changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from webclient.domain.model import ADMINISTRATORS, AuditAction, Json, Rule, Then, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.user_tables import rules as table
from webclient.store.users.audit import record

_OF_USER = table.c.user_id == bindparam("of_user")
_GET = select(table.c.rules).where(_OF_USER)
# SQLite has it in the same words. A change of another process waits for the row.
_BEGIN = insert(table).on_conflict_do_nothing(index_elements=["user_id"])
_LOCKED = _GET.with_for_update()
_CHANGE = update(table).where(_OF_USER)

_MOMENTS = ("until", "counts_from")

MOST_USERS = 10_000
"""Users whose rules are in memory."""


Change = Callable[[list[Rule]], Sequence[Rule]]
"""Returns the new rules for those that there are."""


class Rules(UsesDatabase):
    """The rules of all users."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._known: dict[str, tuple[Rule, ...]] = {}
        self._changes = 0

    async def all_for(self, user_id: str) -> tuple[Rule, ...]:
        """Return the rules for the agents of a user, in their order: those of administrators first."""
        return await self.of(ADMINISTRATORS) + await self.of(user_id)

    async def of(self, user_id: str) -> tuple[Rule, ...]:
        """Return the rules of a user, or of administrators."""
        if user_id in self._known:
            return self._known[user_id]
        changes = self._changes
        found = tuple(await self._get(user_id))
        # Safe: what was read before a change is never kept, or a rule that refuses might not hold.
        if changes == self._changes:
            if len(self._known) >= MOST_USERS:
                self._known.clear()
            self._known[user_id] = found
        return found

    async def change(self, user_id: str, change: Change) -> None:
        """Change the rules of a user, or of administrators, in one unit of work; raises what `change` raises."""
        try:
            await self._change(user_id, change)
        finally:
            await self.look()

    async def look(self) -> None:
        """Read again what has changed, here or in another process."""
        self._changes += 1
        self._known.clear()

    @reads
    def _get(self, db: Connection, user_id: str) -> list[Rule]:
        return [rule_of(written) for written in db.execute(_GET, {"of_user": user_id}).scalar_one_or_none() or ()]

    @writes
    def _change(self, db: Connection, user_id: str, change: Change) -> None:
        of_user = {"of_user": user_id}
        db.execute(_BEGIN, {"user_id": user_id, "rules": [], "changed_at": now()})
        before = [rule_of(written) for written in db.execute(_LOCKED, of_user).scalar_one()]
        rules = [rule_json(rule) for rule in change(before)]
        db.execute(_CHANGE, of_user | {"rules": rules, "changed_at": now()})
        record(db, AuditAction.RULES_CHANGED, object=user_id, outcome=str(len(rules)))
        announce(db, Topic.RULES)


def rule_json(rule: Rule) -> Json:
    """Return a rule as JSON, without what is empty."""
    written: Json = asdict(rule) | {"then": rule.then.value}
    for name in _MOMENTS:
        written[name] = written[name] and written[name].isoformat()
    return {name: value for name, value in written.items() if value not in (None, "", False) or name == "arguments"}


def rule_of(written: Json) -> Rule:
    """Return the rule that `rule_json` has written."""
    moments = {name: datetime.fromisoformat(written[name]) for name in _MOMENTS if written.get(name)}
    return Rule(**{**written, **moments, "then": Then(written["then"])})
