"""The settings of the sign-in at an OpenID provider: what goes together, and where the secret comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from webclient.settings import SettingsError, load_settings

RIGHT: dict[str, Any] = {"identity": ["oidc"], "oidc_issuer": "https://id.example.com", "oidc_client_id": "inbox"}


@each_row(
    "wrong",
    [
        {"oidc_issuer": None},
        {"oidc_client_id": None},
        {"identity": ["local"]},
        {"oidc_issuer": "http://id.example.com"},
        {"oidc_issuer": "https://id.example.com?a=1"},
        {"oidc_issuer": "https://user@id.example.com"},
        {"oidc_issuer": "id.example.com"},
        {"session_hours": 0},
        {"sign_in_days": 0},
    ],
)
def test_a_wrong_setting_of_the_provider_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        load_settings(**RIGHT | wrong)


@pytest.mark.parametrize(
    ("given", "issuer"),
    [
        ("https://id.example.com/", "https://id.example.com/"),
        ("https://id.example.com/realms/corp", "https://id.example.com/realms/corp"),
        ("https://id.example.com/.well-known/openid-configuration", "https://id.example.com"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
    ],
)
def test_an_issuer_is_kept_as_given_or_found_in_its_address(given: str, issuer: str) -> None:
    assert load_settings(**RIGHT | {"oidc_issuer": given}).oidc_issuer == issuer


def test_lists_have_commas_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_OIDC_SCOPES", "profile email,groups")
    monkeypatch.setenv("WEBCLIENT_OIDC_ALLOWED_GROUPS", "staff, boss")
    monkeypatch.setenv("WEBCLIENT_OIDC_ALLOWED_DOMAINS", "@Corp.example")
    settings = load_settings(**RIGHT)
    assert settings.oidc_scopes == ["openid", "profile", "email", "groups"]
    assert settings.oidc_allowed_groups == ["staff", "boss"]
    assert settings.oidc_allowed_domains == ["corp.example"]


def test_the_secret_comes_from_the_environment_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n", "utf-8")
    settings = load_settings(**RIGHT, oidc_client_secret_file=file)
    assert settings.oidc_client_secret == "from the file"
    assert "from the file" not in repr(settings)
    monkeypatch.setenv("WEBCLIENT_OIDC_CLIENT_SECRET", "from the environment")
    assert load_settings(**RIGHT).oidc_client_secret == "from the environment"
    with pytest.raises(SettingsError, match="twice"):
        load_settings(**RIGHT, oidc_client_secret_file=file)


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_a_file_without_a_secret_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match="secret"):
        load_settings(**RIGHT, oidc_client_secret_file=file)


def test_sessions_of_companies_are_short() -> None:
    assert load_settings().session_lifetime is None
    assert load_settings().session_idle is None
    settings = load_settings(**RIGHT)
    assert str(settings.session_lifetime) == "12:00:00"
    assert str(settings.session_idle) == "2:00:00"
