"""Scopes: which are requested first, which are added later, and when asking for more ends."""

from __future__ import annotations

import pytest

from tests.oauth.conftest import Desk
from webclient.domain.errors import SignInFailedError
from webclient.domain.model import ReasonCode

pytestmark = pytest.mark.anyio

MORE = 'Bearer error="insufficient_scope", scope="write"'


async def requested(desk: Desk) -> tuple[str, ...]:
    """Return the scopes of the sign-in that is wanted."""
    return (await desk.wanted()).scopes


async def test_the_scope_of_the_challenge_comes_first(desk: Desk) -> None:
    """MCP, Authorization, Scope Selection Strategy (SHOULD)."""
    desk.provider.resource["scopes_supported"] = ["read", "write"]
    await desk.refused('Bearer scope="read"')
    assert await requested(desk) == ("read",)


async def test_then_all_scopes_of_the_server(desk: Desk) -> None:
    """MCP, Authorization, Scope Selection Strategy (SHOULD)."""
    desk.provider.resource["scopes_supported"] = ["read", "write"]
    desk.provider.metadata["scopes_supported"] = ["read", "write", "admin:all"]
    await desk.refused('Bearer scope=""')
    assert await requested(desk) == ("read", "write")


async def test_scopes_of_the_authorization_server_are_not_requested(desk: Desk) -> None:
    desk.provider.metadata["scopes_supported"] = ["admin:all", "offline_access"]
    await desk.refused("Bearer")
    assert await requested(desk) == ()


async def test_configured_scopes_take_precedence(desk: Desk) -> None:
    desk.provider.metadata["scopes_supported"] = ["offline_access"]
    await desk.use({"scope": "mine  only"})
    await desk.refused('Bearer scope="read"')
    assert await requested(desk) == ("mine", "only")


async def test_a_refresh_token_is_asked_for_if_that_is_possible(desk: Desk) -> None:
    """MCP 2026-07-28, Authorization, Refresh Tokens (SEP-2207)."""
    desk.provider.metadata["scopes_supported"] = ["offline_access"]
    await desk.refused('Bearer scope="read"')
    assert await requested(desk) == ("read", "offline_access")
    assert "prompt=consent" in (await desk.wanted()).authorization_url


async def test_a_step_up_adds_to_the_granted_scopes(desk: Desk) -> None:
    """MCP 2026-07-28, Authorization, Step-Up Authorization Flow (SEP-2350)."""
    token = await desk.sign_in('Bearer scope="read"')
    assert await desk.refused(MORE, status=403, token=token) is None
    pending = await desk.wanted()
    assert (pending.scopes, pending.new_scopes) == (("read", "write"), ("write",))
    assert await desk.token() == token
    assert (await desk.come_back()).reason is None
    assert desk.auth.granted
    assert desk.auth.granted.scopes == ("read", "write")


async def test_a_step_up_without_a_scope_requests_all_scopes(desk: Desk) -> None:
    token = await desk.sign_in('Bearer scope="read"')
    desk.provider.resource["scopes_supported"] = ["write"]
    await desk.refused('Bearer error="insufficient_scope"', status=403, token=token)
    assert await requested(desk) == ("read", "write")


async def test_a_denied_step_up_keeps_the_token(desk: Desk) -> None:
    token = await desk.sign_in('Bearer scope="read"')
    await desk.refused(MORE, status=403, token=token)
    finished = await desk.come_back(error="access_denied")
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_DENIED
    with pytest.raises(SignInFailedError):
        await desk.sign_ins.until_signed_in(desk.server)
    assert await desk.token() == token


async def test_a_server_that_is_never_content_gets_three_sign_ins(desk: Desk) -> None:
    """MCP, Authorization, Step-Up Authorization Flow: clients SHOULD limit their attempts."""
    token = await desk.sign_in('Bearer scope="write"')
    for _ in range(2):
        await desk.refused(MORE, status=403, token=token)
        await desk.come_back()
        token = str(await desk.token())
        await desk.restart()
    assert await desk.refused(MORE, status=403, token=token) is None
    assert await desk.failure() is ReasonCode.SIGN_IN_SCOPE_LIMIT
    assert desk.auth.wanted is None
    assert await desk.token() == token
    await desk.sign_ins.begin(desk.server)
    assert await desk.wanted()


async def test_a_step_up_of_an_old_token_uses_the_new_one(desk: Desk) -> None:
    old = await desk.sign_in('Bearer scope="read"')
    await desk.refused(MORE, status=403, token=old)
    await desk.come_back()
    assert await desk.refused(MORE, status=403, token=old) == await desk.token()
    assert desk.auth.wanted is None


@pytest.mark.parametrize("challenge", ["", "Bearer", 'Bearer error="invalid_token"', 'Basic realm="x"'])
async def test_another_403_is_an_ordinary_error(desk: Desk, challenge: str) -> None:
    token = await desk.sign_in()
    assert await desk.refused(challenge, status=403, token=token) is None
    assert (desk.auth.wanted, desk.auth.error) == (None, None)


async def test_a_step_up_needs_permission_to_ask(desk: Desk) -> None:
    token = await desk.sign_in()
    assert await desk.refused(MORE, status=403, token=token, may_ask=False) is None
    assert desk.auth.wanted is None
