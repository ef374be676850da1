"""The rules on calls of agents: those of each user, and those of administrators, which stand above them.

Each call of an agent needs them, so they stay in memory, and are read again when another process changes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select

from webclient.domain.model import ADMINISTRATORS, AuditAction, Json, Rule, Then, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.user_tables import rules as table
from webclient.store.users.audit import record

_OF_USER = table.c.user_id == bindparam("of_user")
_GET = select(table.c.rules).where(_OF_USER)

MOST_USERS = 10_000
"""Users whose rules are in memory."""


class Rules(UsesDatabase):
    """The rules of all users."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._known: dict[str, tuple[Rule, ...]] = {}

    async def all_for(self, user_id: str) -> tuple[Rule, ...]:
        """Return the rules for the agents of a user, in their order: those of administrators first."""
        return await self.of(ADMINISTRATORS) + await self.of(user_id)

    async def of(self, user_id: str) -> tuple[Rule, ...]:
        """Return the rules of a user, or of administrators."""
        known = self._known.get(user_id)
        if known is None:
            if len(self._known) >= MOST_USERS:
                self._known.clear()
            known = self._known[user_id] = tuple(map(rule_of, await self._get(user_id)))
        return known

    async def put(self, user_id: str, rules: Sequence[Rule]) -> None:
        """Replace all rules of a user, or of administrators."""
        await self._put(user_id, [rule_json(rule) for rule in rules])
        self._known[user_id] = tuple(rules)

    async def look(self) -> None:
        """Read again what another process may have changed."""
        self._known.clear()

    @reads
    def _get(self, db: Connection, user_id: str) -> list[Json]:
        found = db.execute(_GET, {"of_user": user_id}).scalar_one_or_none()
        return list(found or ())

    @writes
    def _put(self, db: Connection, user_id: str, rules: list[Json]) -> None:
        db.execute(delete(table).where(_OF_USER), {"of_user": user_id})
        if rules:
            db.execute(insert(table), {"user_id": user_id, "rules": rules, "changed_at": now()})
        record(db, AuditAction.RULES_CHANGED, object=user_id, outcome=str(len(rules)))
        announce(db, Topic.RULES)


def rule_json(rule: Rule) -> Json:
    """Return a rule as JSON, without what is empty."""
    written = asdict(rule) | {"then": rule.then.value, "until": rule.until and rule.until.isoformat()}
    return {name: value for name, value in written.items() if value not in (None, "", False) or name == "arguments"}


def rule_of(written: Json) -> Rule:
    """Return the rule that `rule_json` has written."""
    until = written.get("until")
    return Rule(**written | {"then": Then(written["then"]), "until": until and datetime.fromisoformat(until)})
