"""The audit trail as it is stored: refused attempts are dropped when there are too many, and nothing else is."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from webclient.domain.model import ACTING, Actor, AuditAction, Person
from webclient.store import Store
from webclient.store.users import audit

pytestmark = pytest.mark.anyio

MOST = 5


async def test_only_the_newest_refusals_are_kept(store: Store) -> None:
    token = ACTING.set(Actor(way="proxy", address="10.1.2.3"))
    try:
        await store.users.recognise(Person(issuer="proxy", subject="ada"))
    finally:
        ACTING.reset(token)
    with patch.object(audit, "_OLDEST_REMAINING", audit._oldest_remaining(MOST)):
        for number in range(12):
            await store.audit.add_refusal(user_id="", way="local", address=str(number), code="wrong_token", count=1)
    entries = await store.audit.newest()
    refused = [entry.address for entry in entries if entry.action is AuditAction.SIGN_IN_REFUSED]
    assert refused == [str(number) for number in range(11, 11 - MOST, -1)]
    assert [entry.action for entry in entries if entry.address == "10.1.2.3"] == [AuditAction.FIRST_SEEN]
