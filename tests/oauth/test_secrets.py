"""Secrets of the whole life of a sign-in are in no file of the database, log, trace, reason or representation."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from tests.oauth.conftest import Desk
from tests.oauth.provider import ISSUER, answer, error
from webclient.domain.errors import SignInFailedError
from webclient.domain.model import now
from webclient.domain.reasons import sentence
from webclient.store.database.secret_keys import FILE

pytestmark = pytest.mark.anyio

TOKEN = f"{ISSUER}/token"
CLIENT_SECRET = "the secret of the client"
MORE = 'Bearer error="insufficient_scope", scope="write"'


@dataclass
class Thief:
    """Looks for each secret that the provider handed out or was given, wherever it could be."""

    desk: Desk
    folder: Path
    log: pytest.LogCaptureFixture

    @property
    def secrets(self) -> list[str]:
        return [CLIENT_SECRET, *(each for each in self.desk.provider.secrets if each)]

    def finds(self, *errors: BaseException) -> list[tuple[str, str]]:
        """Return where a secret is."""
        texts = {path.name: path.read_bytes().decode("latin-1") for path in self.folder.iterdir() if path.name != FILE}
        auth = self.desk.auth
        texts |= {
            "log": self.log.text,
            "trace": repr(self.desk.sign_ins.trace_of(self.desk.server.key)),
            "representation": repr((auth, self.desk.server, errors)),
            "reason": sentence(auth.error) if auth.error else "",
        }
        return [(where, secret) for where, text in texts.items() for secret in self.secrets if secret in text]


@pytest.fixture
def thief(desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Thief:
    caplog.set_level(logging.DEBUG)
    desk.provider.secret = CLIENT_SECRET
    return Thief(desk, tmp_path, caplog)


async def let_expire(desk: Desk) -> None:
    """Let the token end now, and start again."""
    grants = desk.store.of(desk.server.user_id).grants
    grant = await grants.get(desk.server.server_id)
    assert grant
    await grants.save(replace(grant, expires_at=now() - timedelta(hours=1)))
    await desk.restart()


async def test_no_secret_of_a_whole_life_can_be_found(desk: Desk, thief: Thief) -> None:
    await desk.refused()
    pending = await desk.wanted()
    assert "state=" in pending.authorization_url
    redirect_uri = "http://localhost:8765/oauth/callback"
    started = await desk.sign_ins.start(desk.server.user_id, pending.id, redirect_uri)
    query = desk.provider.authorize(started.url)
    desk.provider.secrets += [started.nonce]
    assert thief.finds() == [], "while the user is away"
    assert (await desk.sign_ins.finish(query, started.nonce, None)).reason is None
    token = await desk.token()
    assert thief.finds() == [], "signed in"
    await let_expire(desk)
    assert await desk.token() != token
    assert thief.finds() == [], "renewed"
    await desk.refused(MORE, status=403, token=await desk.token())
    await desk.wanted()
    assert (await desk.come_back()).reason is None
    assert thief.finds() == [], "with more scopes"
    await desk.sign_ins.sign_out(desk.server)
    assert thief.finds() == [], "signed out"
    assert len(thief.secrets) > 10
    assert desk.store.health.trouble is None


@pytest.mark.parametrize(
    "broken",
    [
        error("invalid_grant"),
        httpx2.Response(503, text="SECRET of an answer"),
        answer({"access_token": "SECRET of an answer", "token_type": "mac"}),
        answer({"token_type": "Bearer", "refresh_token": "SECRET of an answer"}),
        answer("SECRET of an answer"),
        httpx2.Response(200, text="access_token=SECRET of an answer"),
        httpx2.Response(200, text="{SECRET of an answer"),
    ],
)
async def test_no_answer_of_the_provider_is_quoted(desk: Desk, thief: Thief, broken: httpx2.Response) -> None:
    desk.provider.secrets += ["SECRET of an answer"]
    desk.provider.answers[TOKEN] = broken
    await desk.refused()
    finished = await desk.come_back()
    assert finished.reason
    with pytest.raises(SignInFailedError) as failed:
        await desk.sign_ins.until_signed_in(desk.server)
    assert thief.finds(failed.value) == []
    assert "SECRET" not in sentence(finished.reason) + str(failed.value)


async def test_no_refused_renewal_is_quoted(desk: Desk, thief: Thief) -> None:
    await desk.sign_in()
    for broken in (httpx2.Response(503, text="SECRET of an answer"), error("invalid_grant")):
        desk.provider.secrets += ["SECRET of an answer"]
        desk.provider.answers[TOKEN] = broken
        await let_expire(desk)
        await desk.token()
        assert thief.finds() == []
