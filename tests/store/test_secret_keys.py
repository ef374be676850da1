"""The keys of secrets: a file for its owner alone, or a setting."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from tests.store.rows import SECRET_KEYS
from webclient.store import DatabaseError, prepare
from webclient.store.database.secret_keys import FILE, add_key, check_keys, keep_newest, read_keys


def test_a_new_file_is_for_its_owner_alone_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    keys = read_keys(folder, None)
    assert [len(key) for key in keys.values()] == [32]
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert read_keys(folder, None) == keys


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    read_keys(tmp_path, None)
    (tmp_path / FILE).chmod(mode)
    with pytest.raises(DatabaseError, match="chmod 600"):
        prepare(tmp_path)


@pytest.mark.parametrize("text", ["", "\n", "k1", "k1:", "k1:AAAA", ":" + "A" * 44, f"a.b:{'A' * 43}=", "k1:ä", "\0"])
def test_a_file_without_usable_keys_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).touch(0o600)
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(DatabaseError) as refused:
        check_keys(tmp_path, None)
    assert not text.strip("\0\n") or text not in str(refused.value)


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError):
        read_keys(tmp_path, f"{SECRET_KEYS},{SECRET_KEYS}")


def test_the_setting_takes_the_place_of_the_file(tmp_path: Path) -> None:
    other = SECRET_KEYS.replace("k1", "k0").replace("QUJD", "QUJE")
    assert list(read_keys(tmp_path, f" {other} , {SECRET_KEYS} ")) == ["k0", "k1"]
    assert not (tmp_path / FILE).exists()


def test_checking_makes_no_file(tmp_path: Path) -> None:
    check_keys(tmp_path, None)
    assert not (tmp_path / FILE).exists()


def test_a_new_key_is_the_first_and_the_others_can_go(tmp_path: Path) -> None:
    old = read_keys(tmp_path, None)
    both = add_key(tmp_path)
    assert list(both)[1:] == list(old)
    keep_newest(tmp_path)
    assert list(read_keys(tmp_path, None)) == list(both)[:1]
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_several_who_begin_together_have_one_key(tmp_path: Path) -> None:
    found: list[dict[str, bytes]] = []
    threads = [threading.Thread(target=lambda: found.append(read_keys(tmp_path, None))) for _each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(keys == found[0] for keys in found)
