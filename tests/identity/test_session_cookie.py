"""A session cookie counts for the ways that are allowed now, and stays with this host over https."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from starlette.requests import HTTPConnection

from tests.http.small_app import TOKEN, MemorySessions
from webclient.auth import InvalidCredentialError, SessionCookie
from webclient.domain.model import Browser, now
from webclient.settings import Settings, load_settings

pytestmark = pytest.mark.anyio


def connection(scheme: str = "http", cookie: str = "") -> HTTPConnection:
    """Return a request of a browser with this cookie."""
    headers = [(b"cookie", cookie.encode())] if cookie else []
    return HTTPConnection({"type": "http", "scheme": scheme, "headers": headers})


def settings(**given: object) -> Settings:
    """Return settings of a program at port 8765."""
    return load_settings(**{"token": TOKEN, "port": 8765} | given)


async def test_a_session_of_a_way_that_was_removed_is_refused() -> None:
    sessions = MemorySessions()
    # The sessions of the tests were begun by the way "local".
    own = connection(cookie=f"webclient-8765={await sessions.create('local', 'local')}")
    principal = await SessionCookie(settings(), sessions, ["local"]).identify(own)
    assert principal
    assert (principal.user_id, principal.way) == ("local", "cookie")
    with pytest.raises(InvalidCredentialError):
        await SessionCookie(settings(), sessions, ["oidc", "proxy"]).identify(own)


class NotedSessions(MemorySessions):
    """Sessions that note how long they last."""

    def __init__(self) -> None:
        super().__init__()
        self.lasting: list[tuple[datetime | None, timedelta | None]] = []

    async def create(
        self,
        user_id: str,
        way: str,
        *,
        ends_at: datetime | None = None,
        idle: timedelta | None = None,
        provider_session: str | None = None,
        browser: Browser | None = None,
    ) -> str:
        """Note when a new session ends."""
        self.lasting.append((ends_at, idle))
        return await super().create(user_id, way, provider_session=provider_session, browser=browser)


async def test_a_session_lasts_as_its_way_or_the_settings_say() -> None:
    sessions, own_end = NotedSessions(), now() + timedelta(minutes=5)
    lifetime, idle = timedelta(hours=8), timedelta(hours=1)
    with_users = settings(
        identity=["proxy"], auth_header="User", trusted_proxies=["10.0.0.1"], session_hours=8, session_idle_minutes=60
    )
    cookie = SessionCookie(with_users, sessions, ["proxy"])
    before = now()
    await cookie.start(connection(), "ada", "oidc", ends_at=own_end)
    await cookie.start(connection(), "ada", "oidc")
    (of_way, first_idle), (of_settings, second_idle) = sessions.lasting
    assert of_way == own_end
    assert of_settings
    assert before + lifetime <= of_settings <= now() + lifetime
    assert (first_idle, second_idle) == (idle, idle)


async def test_an_unknown_session_is_refused_and_none_is_not() -> None:
    cookie = SessionCookie(settings(), MemorySessions(), ["local"])
    assert await cookie.identify(connection()) is None
    assert await cookie.identify(connection(cookie="webclient-8765=")) is None
    with pytest.raises(InvalidCredentialError):
        await cookie.identify(connection(cookie="webclient-8765=invented"))


@pytest.mark.parametrize(
    ("scheme", "public_url", "name"),
    [
        ("https", None, "__Host-webclient-8765"),
        ("http", None, "webclient-8765"),
        # Browsers accept the prefix for the path "/" alone.
        ("https", "https://tools.example.com/inbox", "webclient-8765"),
    ],
)
async def test_over_https_the_cookie_has_the_host_prefix(scheme: str, public_url: str | None, name: str) -> None:
    sessions = MemorySessions()
    cookie = SessionCookie(settings(public_url=public_url), sessions, ["local"])
    header = (await cookie.start(connection(scheme), "local", "local"))["Set-Cookie"]
    assert header.startswith(f"{name}=")
    assert ("; Secure" in header) is (scheme == "https")
    [session_id] = sessions.users
    assert await cookie.identify(connection(scheme, f"{name}={session_id}"))
    # Another host of the domain can set a cookie without the prefix, and may sign no person in with it.
    other = "webclient-8765" if name.startswith("__") else "__Host-webclient-8765"
    assert await cookie.identify(connection(scheme, f"{other}={session_id}")) is None


async def test_signing_out_ends_the_session_and_the_cookie() -> None:
    sessions = MemorySessions()
    cookie = SessionCookie(settings(), sessions, ["local"])
    session_id = await sessions.create("local", "local")
    browser = connection(cookie=f"webclient-8765={session_id}")
    assert await cookie.way_of(browser) == "local"
    assert "Max-Age=0" in (await cookie.end(browser))["Set-Cookie"]
    assert sessions.users == {}
    assert await cookie.way_of(browser) is None
    assert await cookie.way_of(connection()) is None
