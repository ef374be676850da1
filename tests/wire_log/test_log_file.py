"""The file of the wire log: private, bounded, whole lines only, and never another file than the one that was named."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from webclient.protocol.wire_log import LogFile, LogFileError

LINE = b'{"number": 1}\n'


def test_lines_are_appended_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    path.write_bytes(b"before\n")
    path.chmod(0o644)
    file = LogFile(path, 1000)
    file.check()
    assert file.append([LINE, LINE]) == 2
    assert path.read_bytes() == b"before\n" + 2 * LINE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    file.close()


def test_a_full_file_becomes_the_one_older_file(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    file = LogFile(path, 3 * len(LINE))
    lines = [b"%013d\n" % number for number in range(8)]
    assert file.append(lines) == 8
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "wire.jsonl.1"]
    assert (file.older.read_bytes(), path.read_bytes()) == (b"".join(lines[3:6]), b"".join(lines[6:]))
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}
    # A line that is longer than a file may be stands alone.
    file.append([long := b"x" * 100 + b"\n"])
    assert path.read_bytes() == long
    file.close()


def test_a_file_that_was_moved_away_is_made_again(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "wire.jsonl", 1000)
    file.append([LINE])
    file.path.rename(tmp_path / "kept")
    file.append([LINE])
    file.path.unlink()
    file.append([LINE])
    assert [(tmp_path / "kept").read_bytes(), file.path.read_bytes()] == [LINE, LINE]
    file.close()


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = LogFile(tmp_path / "wire.jsonl", 1000)
    write, room = os.write, 2 * len(LINE) + 5

    def until_full(fd: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(fd, bytes(data)[:room])
        room -= written
        return written

    with monkeypatch.context() as full:
        full.setattr(os, "write", until_full)
        assert file.append([LINE] * 4) == 2
        with pytest.raises(OSError, match="No space left"):
            file.append([LINE])
        assert file.path.read_bytes() == 2 * LINE
    assert file.append([LINE] * 2) == 2
    assert file.path.read_bytes() == 4 * LINE
    file.close()


def test_only_a_file_of_this_user_is_written(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(other)
    os.mkfifo(pipe)
    for path in (link, pipe, tmp_path, tmp_path / "missing" / "wire.jsonl"):
        with pytest.raises(LogFileError, match=str(path)):
            LogFile(path, 1000).check()
    assert other.read_bytes() == b""


def test_a_file_of_another_user_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(LogFileError, match="another user"):
        LogFile(tmp_path / "wire.jsonl", 1000).check()


def test_erased_lines_are_overwritten_in_both_files(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "wire.jsonl", 200)
    lines = [b'{"user": "%s", "number": %d}\n' % (who, number) for number in range(6) for who in (b"ada", b"bob")]
    file.append(lines)
    # A crash left a part of a line at the end.
    file.append([b'{"user": "ada", "num'])
    sizes = file.older.stat().st_size, file.path.stat().st_size
    assert all(sizes)
    assert file.erase(lambda line: b"ada" not in line) > 1
    assert (file.older.stat().st_size, file.path.stat().st_size) == sizes
    left = (file.older.read_bytes() + file.path.read_bytes()).splitlines()
    assert b"ada" not in b"".join(left)
    assert [json.loads(line) for line in left if b"bob" not in line] == [{"erased": True}] * len(left[::2])
    assert len(left[1::2]) == sum(b"bob" in line for line in left)
    # What comes later is appended as before.
    file.append([b"\n", LINE])
    assert file.path.read_bytes().endswith(LINE)
    assert file.erase(lambda _line: True) == 0
    file.close()


def test_only_a_file_of_this_user_is_erased_in(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "wire.jsonl"
    assert LogFile(path, 1000).erase(lambda _line: False) == 0
    other.write_bytes(LINE)
    path.symlink_to(other)
    with pytest.raises(OSError, match="symbolic links"):
        LogFile(path, 1000).erase(lambda _line: False)
    assert other.read_bytes() == LINE
