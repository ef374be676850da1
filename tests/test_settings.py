"""Settings refuse, with a sentence, what would open the door by accident."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from webclient.settings import Settings, SettingsError, differing, digests_of, load_settings
from webclient.settings.rules import is_loopback


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"WEBCLIENT_{name.upper()}", raising=False)


def test_every_setting_has_a_default() -> None:
    settings = load_settings()
    assert (settings.host, settings.port, settings.allowed_hosts) == ("127.0.0.1", 8765, [])


def test_each_start_makes_a_new_unguessable_token() -> None:
    first, second = load_settings().token, load_settings().token
    assert first != second
    assert first
    assert len(first) >= 43


def test_no_token_is_made_without_local_identity() -> None:
    proxy = {"auth_header": "Remote-User", "trusted_proxies": ["127.0.0.1"]}
    assert load_settings(identity=["proxy"], **proxy).token is None
    assert load_settings(identity=["local", "proxy"], **proxy).token
    assert load_settings(identity=["proxy"], token="chosen by the operator", **proxy).token


def test_the_token_is_not_shown_when_settings_are_printed() -> None:
    assert "hush-hush" not in repr(load_settings(token="hush-hush"))


@pytest.mark.parametrize("variable", ["WEBCLIENT_TOKEN", "WEBCLIENT_HOST"])
def test_a_setting_can_come_from_the_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "localhost")
    assert getattr(load_settings(), variable.removeprefix("WEBCLIENT_").lower()) == "localhost"


def test_a_given_setting_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_PORT", "9000")
    assert load_settings(port=9001).port == 9001
    assert load_settings(port=None).port == 9000


def test_lists_in_the_environment_are_written_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_ALLOWED_HOSTS", "box.example.com, Other.example.com")
    assert load_settings().allowed_hosts == ["box.example.com", "other.example.com"]


def test_the_data_folder_follows_the_xdg_specification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert load_settings().data_dir == tmp_path / "mcp-webclient"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert load_settings().data_dir == Path.home() / ".local/share/mcp-webclient"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost", "LOCALHOST"])
def test_loopback_needs_no_name(host: str) -> None:
    assert is_loopback(host)
    assert load_settings(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.5", "box.example.com", "127.0.0.1.nip.io"])  # noqa: S104
def test_another_address_is_refused_unless_a_name_is_allowed(host: str) -> None:
    with pytest.raises(SettingsError, match="--allowed-host"):
        load_settings(host=host)
    assert load_settings(host=host, allowed_hosts=["box.example.com"]).host == host


@pytest.mark.parametrize(
    ("given", "normalised"),
    [
        ("Box.Example.com", "box.example.com"),
        ("192.168.1.5", "192.168.1.5"),
        ("[FE80::1]", "fe80::1"),
        ("fe80:0:0::1", "fe80::1"),
    ],
)
def test_an_allowed_host_is_saved_as_browsers_write_it(given: str, normalised: str) -> None:
    assert load_settings(allowed_hosts=[given]).allowed_hosts == [normalised]


@pytest.mark.parametrize(
    "given", ["*", "*.example.com", "https://box.example.com", "box.example.com:8765", "a b", "", "box/"]
)
def test_an_allowed_host_that_is_not_one_name_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="allowed host"):
        load_settings(allowed_hosts=[given])


@pytest.mark.parametrize(
    ("given", "normalised"),
    [
        ("https://chat.example.com", "https://chat.example.com"),
        ("HTTPS://Chat.Example.com:8443/", "https://chat.example.com:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_an_embed_origin_is_saved_as_browsers_write_it(given: str, normalised: str) -> None:
    assert load_settings(embed_origins=[given]).embed_origins == [normalised]


@pytest.mark.parametrize(
    "given",
    [
        "http://chat.example.com",
        "https://chat.example.com/path",
        "https://chat.example.com?q",
        "https://user@chat.example.com",
        "https://*.example.com",
        "https://chat.example.com; script-src *",
        "https://chat.example.com\nX-Header: 1",
        "chat.example.com",
        "*",
        "null",
        "data:",
        "",
    ],
)
def test_an_insecure_embed_origin_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match=r"https://chat\.example\.com"):
        load_settings(embed_origins=[given])


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", 65536), ("port", -1), ("token", ""), ("max_body_bytes", 0), ("max_sign_in_attempts", 0)],
)
def test_a_value_out_of_range_names_its_setting(name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"WEBCLIENT_{name.upper()}"):
        load_settings(**{name: value})


def test_a_wrong_value_is_not_repeated_since_it_may_be_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_PORT", "hush-hush")
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert "hush-hush" not in str(refused.value)


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("given", ["0", "none", "None", ""])
def test_a_deadline_of_nothing_is_none(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_DEADLINE_PUSH", given)
    assert load_settings().deadline_push is None


def test_deadlines_are_an_hour_only_if_the_server_waits() -> None:
    settings = load_settings()
    assert (settings.deadline_push, settings.deadline_rounds) == (3600, None)
    assert load_settings(deadline_rounds=0.5).deadline_rounds == 0.5
    with pytest.raises(SettingsError, match="deadline_push"):
        load_settings(deadline_push=-1)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://Box.example.com/", "https://box.example.com"),
        ("https://box.example.com:8443", "https://box.example.com:8443"),
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://[::1]:8765", "http://[::1]:8765"),
        ("https://Box.example.com/Inbox/", "https://box.example.com/Inbox"),
        ("https://box.example.com/team/inbox", "https://box.example.com/team/inbox"),
    ],
)
def test_a_public_url_is_https_or_of_this_machine(given: str, meant: str) -> None:
    assert load_settings(public_url=given).public_url == meant


@pytest.mark.parametrize(
    "given",
    [
        *(
            "http://box.example.com",
            "box.example.com",
            "https://",
            "javascript:alert(1)",
        ),
        *("https://box.example.com/a/../b", "https://box.example.com//b", "https://box.example.com/a;b"),
        *("https://user@box.example.com", "https://box.example.com?x", "https://box.example.com#x", "https://a b"),
    ],
)
def test_another_public_url_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="public URL"):
        load_settings(public_url=given)


def test_the_host_of_the_public_url_is_allowed() -> None:
    settings = load_settings(public_url="https://box.example.com", allowed_hosts=["other.example.com"], host="0.0.0.0")  # noqa: S104
    assert settings.allowed_hosts == ["other.example.com", "box.example.com"]
    assert load_settings(public_url="http://127.0.0.1:1").allowed_hosts == load_settings().allowed_hosts == []


def test_the_secret_keys_are_not_shown_when_settings_are_printed() -> None:
    assert "hush-hush" not in repr(load_settings(secret_keys="hush-hush"))


def test_digests_of_settings_name_what_differs_and_need_the_key() -> None:
    def digests(keys: str, **given: Any) -> Mapping[str, str]:
        return digests_of(Settings(secret_keys=keys, **given))

    here = digests("a:one", ask_rate=5)
    assert differing(here, digests("a:one", ask_rate=5)) == frozenset()
    assert differing(here, digests("a:one", ask_rate=6)) == {"WEBCLIENT_ASK_RATE"}
    assert differing(here, digests("a:one")) == {"WEBCLIENT_ASK_RATE"}
    # While keys change, values are not compared; without the key none can be tried.
    assert differing(here, digests("b:two, a:one", ask_rate=5)) == frozenset()
    assert here != digests("a:two", ask_rate=5)
