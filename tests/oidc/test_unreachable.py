"""An OpenID provider that cannot be reached: the log says why and where, and the page no more than it may."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.oidc_provider.fake import CLIENT_ID
from tests.private_authority import PrivateAuthority, answering, refusing
from webclient.auth.oidc_provider import Refusal, RefusedError
from webclient.auth.oidc_provider.provider import Provider
from webclient.settings import load_settings
from webclient.support.log_lines import forget_lines

pytestmark = pytest.mark.anyio

CALLBACK = "http://127.0.0.1:8765/auth/callback"


@pytest.fixture(autouse=True)
def _all_lines() -> None:
    forget_lines()


def provider(folder: Path, issuer: str, ca_file: Path | None = None) -> Provider:
    """Return the provider at an address."""
    values: dict[str, Any] = {"oidc_issuer": issuer, "oidc_client_id": CLIENT_ID, "oidc_label": "Corp ID"}
    return Provider(load_settings(identity=["oidc"], data_dir=folder, ca_file=ca_file, **values))


def description(issuer: str) -> dict[str, str]:
    """Return how the provider at an address describes itself."""
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    return {"issuer": issuer, **{name: f"{issuer}/{name}" for name in names}}


async def refused(provider: Provider) -> RefusedError:
    """Return the error with which a sign-in is refused."""
    with pytest.raises(RefusedError) as error:
        await provider.begin(CALLBACK, "/")
    # Only the name that the operator chose: what people may know of the network behind it is not ours to say.
    assert "Corp ID" in error.value.sentence(provider.label)
    assert "127.0.0.1" not in error.value.sentence(provider.label)
    assert error.value.status == 502
    return error.value


async def test_a_private_authority_is_refused_without_the_setting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with answering(PrivateAuthority(tmp_path), description) as issuer:
        error = await refused(provider(tmp_path, issuer))
    assert error.refusal is Refusal.CERTIFICATE_INVALID
    assert "127.0.0.1" in caplog.text
    assert "--ca-file" in caplog.text


async def test_a_private_authority_is_trusted_with_the_setting(tmp_path: Path) -> None:
    authority = PrivateAuthority(tmp_path)
    with answering(authority, description) as issuer:
        begun = await provider(tmp_path, issuer, authority.ca_file).begin(CALLBACK, "/")
    assert begun.url.startswith(f"{issuer}/authorization_endpoint?")


async def test_another_private_authority_is_still_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = PrivateAuthority(tmp_path / "other")
    with answering(PrivateAuthority(tmp_path), description) as issuer:
        error = await refused(provider(tmp_path, issuer, other.ca_file))
    assert error.refusal is Refusal.CERTIFICATE_INVALID


async def test_a_refused_connection_has_its_own_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with refusing() as port:
        error = await refused(provider(tmp_path, f"https://127.0.0.1:{port}"))
    assert error.refusal is Refusal.NOTHING_LISTENS
    assert f"port {port} of 127.0.0.1" in caplog.text
    assert "WEBCLIENT_OIDC_ISSUER" in caplog.text


async def test_an_unknown_host_has_its_own_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    error = await refused(provider(tmp_path, "https://no-such-host.invalid"))
    assert error.refusal is Refusal.HOST_UNKNOWN
    assert "no-such-host.invalid" in caplog.text
    assert "WEBCLIENT_OIDC_ISSUER" in caplog.text


async def test_each_reason_has_a_line_of_its_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A reason must not be left out of the log because another one was written a moment before."""
    with refusing() as port, answering(PrivateAuthority(tmp_path), description) as issuer:
        for each in (f"https://127.0.0.1:{port}", issuer, "https://no-such-host.invalid"):
            await refused(provider(tmp_path, each))
    assert sum(record.levelno == logging.WARNING for record in caplog.records) == 3
