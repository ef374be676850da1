"""A token is used once, and remembered until it expires."""

from __future__ import annotations

from datetime import timedelta

import pytest

from webclient.domain.errors import TooManyError
from webclient.domain.model import now
from webclient.store import Store
from webclient.store.users import used_tokens

pytestmark = pytest.mark.anyio

SOON = timedelta(minutes=5)


async def test_a_token_is_used_once_by_each_issuer(store: Store) -> None:
    used = [await store.used_tokens.use(issuer, "1", now() + SOON) for issuer in ("chat", "chat", "oidc https://id")]
    assert used == [True, False, True]


async def test_an_expired_token_takes_no_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(used_tokens, "MOST", 1)
    assert await store.used_tokens.use("chat", "1", now() - SOON)
    assert await store.used_tokens.use("chat", "2", now() + SOON)
    with pytest.raises(TooManyError):
        await store.used_tokens.use("chat", "3", now() + SOON)
