"""The Unix socket of the program: who may open it, what is in the way, and what is left at the end."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from webclient.runtime.listening import ListenError, listening
from webclient.settings import Settings, SettingsError, load_settings

URL = "https://inbox.example.com"


def settings(folder: Path, **changed: Any) -> Settings:
    given = {"data_dir": folder, "unix_socket": folder / "http", "public_url": URL}
    return load_settings(**given | changed)


def test_only_owner_and_group_can_connect_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "http"
    with listening(settings(tmp_path)):
        assert stat.S_ISSOCK(path.stat().st_mode)
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(path))
    assert not path.exists()


def test_the_socket_of_a_killed_program_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(tmp_path / "http"))
    with listening(settings(tmp_path)), socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(tmp_path / "http"))


def test_a_socket_in_use_and_another_file_are_left_alone(tmp_path: Path) -> None:
    with listening(settings(tmp_path)), pytest.raises(ListenError), listening(settings(tmp_path)):
        pass
    (tmp_path / "file").write_text("text", "utf-8")
    with pytest.raises(ListenError), listening(settings(tmp_path, unix_socket=tmp_path / "file")):
        pass
    assert (tmp_path / "file").read_text("utf-8") == "text"


@pytest.mark.parametrize("name", ["missing/http", "x" * 200])
def test_a_path_that_cannot_be_used_is_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(ListenError, match="--unix-socket"), listening(settings(tmp_path, unix_socket=tmp_path / name)):
        pass


@pytest.mark.parametrize(
    "wrong",
    [
        {"public_url": None},
        {"unix_socket": None, "trusted_proxies": ["unix"]},
        {"identity": ["proxy"], "auth_header": "Remote-User", "trusted_proxies": ["127.0.0.1"]},
    ],
)
def test_half_of_the_settings_for_a_socket_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    assert settings(tmp_path, identity=["proxy"], auth_header="Remote-User", trusted_proxies=["UNIX"])
    with pytest.raises(SettingsError):
        settings(tmp_path, **wrong)
