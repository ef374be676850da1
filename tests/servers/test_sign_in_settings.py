"""The settings of the sign-in to a server, as pages and programs send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house import house
from tests.tables import each_row
from webclient.domain.errors import InvalidInputError
from webclient.domain.model import ReasonCode
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections.sign_in_settings import EXCEPTIONS, checked_settings
from webclient.servers.sign_in import ProtectedServer


def test_settings_have_the_names_of_other_programs_too() -> None:
    assert checked_settings({"clientId": "c", "clientSecret": "s", "scope": ""}) == {
        "client_id": "c",
        "client_secret": "s",
    }


@each_row(
    ("given", "wrong"),
    [
        ({"client_id": 7}, "client_id"),
        ({"client_secret": "s"}, "client_id"),
        ({"client_id": "c" * 20_000}, "client_id"),
        ({"issuer": "javascript:alert(1)"}, "issuer"),
        ({"client_metadata_url": "example.com"}, "client_metadata_url"),
        ({"grant": "password"}, "grant"),
        ({"exceptions": ["everything"]}, "exceptions"),
        ({"exceptions": {"no_resource": True}}, "exceptions"),
        # Files and addresses of this machine are the operator's alone.
        ({"assertion_file": "/etc/passwd"}, "assertion_file"),
        ({"assertion_url": "http://169.254.169.254/"}, "assertion_url"),
        # The company vouches for its users towards servers of its own choice.
        ({"grant": "enterprise", "client_id": "c"}, "grant"),
        ({"redirect_uri": "https://evil.example/"}, "redirect_uri"),
    ],
)
def test_a_wrong_setting_is_named(given: Any, wrong: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        checked_settings(given)
    assert list(raised.value.errors) == [wrong]


def test_only_the_config_file_says_where_an_assertion_is() -> None:
    written = {"grant": "jwt_bearer", "assertion_file": "/run/token"}
    assert checked_settings(written, stored=written) == written
    with pytest.raises(InvalidInputError):
        checked_settings(written | {"assertion_file": "/etc/passwd"}, stored=written)


def test_only_the_config_file_names_servers_of_the_company() -> None:
    written = {"grant": "enterprise", "client_id": "c"}
    assert checked_settings(written, stored=written) == written
    with pytest.raises(InvalidInputError):
        checked_settings(written, stored={"client_id": "c"})


def test_the_sign_in_knows_every_deviation() -> None:
    server = ProtectedServer(user_id="u", server_id="s", url="https://example.com", oauth={"exceptions": EXCEPTIONS})
    assert all(getattr(server.deviations, name) for name in EXCEPTIONS)


def configured(oauth: Any) -> ServerConfig:
    """Return a server at which nothing listens."""
    return ServerConfig(name="it", label="it", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"}, oauth=oauth)


@pytest.mark.anyio
async def test_the_config_file_sets_the_sign_in(tmp_path: Path) -> None:
    for oauth in ({"clientId": "c", "client_secret": "s"}, {}):
        async with house(tmp_path, [configured(oauth)]) as rooms:
            assert (await rooms.server("it")).oauth == checked_settings(oauth)


@pytest.mark.anyio
async def test_a_wrong_setting_in_the_config_file_is_named(tmp_path: Path) -> None:
    async with house(tmp_path, [configured({"grant": "password"})]) as rooms:
        server = await rooms.server("it")
        error = rooms.services.connections.status(server.key).error
        assert error is not None
        assert error.reason.code is ReasonCode.CONFIG_INVALID
        assert "grant" in str(error.reason.params["error"])
