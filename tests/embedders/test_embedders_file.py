"""The embedders file: what it may say, and what stops the start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.embedders.minting import SECRET
from webclient.auth.embedders import Embedder, read_embedders
from webclient.domain.model import Json
from webclient.settings import ConfigError

CHAT: Json = {"issuer": "https://chat.example.com", "origins": ["https://Chat.example.com"], "secret_env": "CHAT"}
KEYS: Json = {"issuer": "k", "origins": ["http://localhost:3000"], "jwks_url": "https://k.example/keys"}


def read(folder: Path, content: Json, **environ: str) -> list[Embedder]:
    path = folder / "embedders.json"
    path.write_text(json.dumps(content), "utf-8")
    return read_embedders(path, {"CHAT": SECRET} | environ)


def test_embedders_are_read_with_secrets_from_the_environment(tmp_path: Path) -> None:
    chat, keys = read(tmp_path, {"chat": CHAT | {"may": ["inbox", "ask"]}, "keys": KEYS})
    assert (chat.name, chat.origins, chat.secret) == ("chat", ("https://chat.example.com",), SECRET)
    assert chat.may == {"inbox", "ask"}
    assert (keys.secret, keys.jwks_url, list(keys.may)) == (None, "https://k.example/keys", ["inbox"])
    assert SECRET not in repr(chat)


def test_an_embedder_is_called_by_its_name_or_key(tmp_path: Path) -> None:
    chat, keys = read(tmp_path, {"chat": CHAT | {"name": "Team chat"}, "keys": KEYS})
    assert (chat.label, keys.label) == ("Team chat", "keys")


def test_embedders_may_stand_under_a_key(tmp_path: Path) -> None:
    assert [each.name for each in read(tmp_path, {"embedders": {"chat": CHAT}})] == ["chat"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (CHAT | {"origins": ["https://chat.example.com/page"]}, "origins"),
        (CHAT | {"origins": ["http://chat.example.com"]}, "origins"),
        (CHAT | {"origins": ["*"]}, "origins"),
        (CHAT | {"origins": []}, "origins"),
        (CHAT | {"may": ["everything"]}, "scopes"),
        (CHAT | {"name": "Chat\u202e"}, "printable"),
        (CHAT | {"secret_env": "UNSET"}, "UNSET"),
        (CHAT | {"jwks_url": "https://chat.example.com/keys"}, "either"),
        ({key: CHAT[key] for key in ("issuer", "origins")}, "either"),
        (KEYS | {"jwks_url": "http://k.example/keys"}, "https"),
        (CHAT | {"secret": "in the file"}, "secret"),
    ],
)
def test_a_wrong_entry_stops_the_start(tmp_path: Path, entry: Json, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        read(tmp_path, {"chat": entry})
    assert not str(raised.value).endswith("..")


@pytest.mark.parametrize("name", ["Chat", "a/b", "", "../x"])
def test_a_name_that_does_not_fit_an_address_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        read(tmp_path, {name: CHAT})


def test_a_short_secret_is_refused_without_being_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, {"chat": CHAT}, CHAT="too short")
    assert "32" in str(raised.value)
    assert "too short" not in str(raised.value)


def test_a_key_in_the_place_of_a_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PEM"):
        read(tmp_path, {"chat": CHAT}, CHAT="-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A")


def test_two_embedders_with_one_issuer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="issuer"):
        read(tmp_path, {"chat": CHAT, "other": CHAT})


@pytest.mark.parametrize("name", [" Team chat", "Team chat ", "Team\tchat", "Team\u200bchat", ""])
def test_a_shown_name_is_printable_without_outer_spaces(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        read(tmp_path, {"chat": CHAT | {"name": name}})
