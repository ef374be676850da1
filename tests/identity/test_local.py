"""The token signs in always, a printed code once, and wrong secrets never."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from starlette.requests import HTTPConnection

from tests.http.small_app import TOKEN, MemorySessions
from webclient.auth import InvalidCredentialError, SessionCookie, SignInOutcome
from webclient.auth.local import LocalToken, OneTimeCode, TokenSignIn
from webclient.settings import load_settings

pytestmark = pytest.mark.anyio

SETTINGS = load_settings(token=TOKEN, port=8765)


def connection(address: str = "10.1.2.3", authorization: str = "") -> HTTPConnection:
    """Return a request from this address."""
    headers = [(b"authorization", authorization.encode())] if authorization else []
    return HTTPConnection({"type": "http", "scheme": "http", "headers": headers, "client": (address, 1)})


def sign_in(sessions: MemorySessions, code: OneTimeCode | None = None) -> TokenSignIn:
    """Return the way, which begins its sessions in `sessions`."""
    return TokenSignIn(SETTINGS, SessionCookie(SETTINGS, sessions, ["local"]), code)


async def outcomes(way: TokenSignIn, secrets: Sequence[str]) -> list[SignInOutcome]:
    """Sign in with these secrets, one after the other."""
    return [(await way.sign_in(connection(), secret)).outcome for secret in secrets]


@pytest.mark.smoke
async def test_a_code_signs_in_one_browser_and_the_token_any() -> None:
    sessions, code = MemorySessions(), OneTimeCode()
    way = sign_in(sessions, code)
    assert way.link_secret == code.value
    signed_in, used = SignInOutcome.SIGNED_IN, SignInOutcome.USED
    assert await outcomes(way, [code.value, code.value, TOKEN, TOKEN]) == [signed_in, used, signed_in, signed_in]
    assert len(sessions.users) == 3


async def test_a_new_code_replaces_the_one_before() -> None:
    sessions = MemorySessions()
    way = sign_in(sessions)
    assert way.link_secret == TOKEN
    earlier, later = way.one_time_secret(), way.one_time_secret()
    expected = [SignInOutcome.WRONG, SignInOutcome.SIGNED_IN, SignInOutcome.USED]
    assert await outcomes(way, [earlier, later, later]) == expected
    assert len(sessions.users) == 1


async def test_wrong_secrets_are_bounded_and_the_token_is_not() -> None:
    way = sign_in(MemorySessions())
    wrong = [f"wrong {number}" for number in range(SETTINGS.max_sign_in_attempts + 1)]
    assert set(await outcomes(way, wrong[:-1])) == {SignInOutcome.WRONG}
    refused = await way.sign_in(connection(), wrong[-1])
    assert refused.outcome is SignInOutcome.TOO_MANY
    assert int(refused.headers["Retry-After"]) > 0
    assert await outcomes(way, [TOKEN]) == [SignInOutcome.SIGNED_IN]
    assert (await way.sign_in(connection("10.9.9.9"), "wrong")).outcome is SignInOutcome.WRONG


async def test_a_program_needs_the_whole_token() -> None:
    way = LocalToken(SETTINGS)
    principal = await way.identify(connection(authorization=f"Bearer {TOKEN}"))
    assert principal
    assert (principal.user_id, principal.is_admin) == ("local", True)
    # Its streams end with the program only.
    assert (principal.sign_in, principal.ends_at) == (None, None)
    assert await way.identify(connection()) is None
    assert await way.identify(connection(authorization=f"Basic {TOKEN}")) is None
    for wrong in (TOKEN[:-1], f"{TOKEN}x", "", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
        with pytest.raises(InvalidCredentialError):
            await way.identify(connection(authorization=f"Bearer {wrong}"))
