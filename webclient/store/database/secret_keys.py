"""The keys that seal secrets: in a file of the data folder that only its owner can read, or in a setting.

Each key is written `NAME:BASE64`. The first one seals; the others open what was sealed before.
"""

from __future__ import annotations

import os
import stat
from base64 import b64decode, urlsafe_b64encode
from pathlib import Path
from secrets import token_bytes, token_hex

from webclient.store.database.storage_errors import DatabaseError

FILE = "secrets.key"

SETTING = "WEBCLIENT_SECRET_KEYS"

_KEY = 32
"""Bytes of a key (AES-256)."""


def read_keys(data_dir: Path, setting: str | None) -> dict[str, bytes]:
    """Return the keys by name, newest first: those of the setting, else of the file, which is made if need be.

    Raises DatabaseError for a file that others can read, or that has no keys.
    """
    if setting:
        return _parsed(setting.replace(",", "\n"), SETTING)
    path = data_dir / FILE
    try:
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        raise DatabaseError(f"The keys in {path} cannot be read: {error.strerror or error}.") from error


def check_keys(data_dir: Path, setting: str | None) -> None:
    """Check the keys that there are, and make none; raises as `read_keys` does."""
    if setting or (data_dir / FILE).exists():
        read_keys(data_dir, setting)


def add_key(data_dir: Path) -> dict[str, bytes]:
    """Put a new key before the others in the file, and return all; raises as `read_keys` does."""
    keys = read_keys(data_dir, None)
    _replace(data_dir / FILE, new := {token_hex(4): token_bytes(_KEY)} | keys)
    return new


def keep_newest(data_dir: Path) -> None:
    """Remove all keys from the file except the first; raises as `read_keys` does."""
    newest = next(iter(read_keys(data_dir, None).items()))
    _replace(data_dir / FILE, dict([newest]))


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{FILE}.{token_hex(4)}")
    _write(beside, {token_hex(4): token_bytes(_KEY)}, os.O_EXCL)
    try:
        # Whole, and never over the key of another process: what that has sealed would be lost.
        path.hardlink_to(beside)
    except FileExistsError:
        pass
    finally:
        beside.unlink()


def _replace(path: Path, keys: dict[str, bytes]) -> None:
    beside = path.with_suffix(".new")
    try:
        _write(beside, keys, os.O_TRUNC)
        # Whole or not at all, whenever this process ends.
        beside.replace(path)
    except OSError as error:
        raise DatabaseError(f"The keys cannot be written to {path}: {error.strerror or error}.") from error


def _write(path: Path, keys: dict[str, bytes], how: int) -> None:
    lines = [f"{name}:{urlsafe_b64encode(key).decode()}\n" for name, key in keys.items()]
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | how, 0o600), "w", encoding="utf-8") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> dict[str, bytes]:
    # Windows has no such bits.
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise DatabaseError(
            f"Other users of this machine can read the keys in {path}, which protect tokens. Make the file yours "
            f"alone: chmod 600 {path}. If others may have read it, run mcp-webclient rotate-key after that."
        )
    return _parsed(path.read_text("utf-8", errors="replace"), str(path))


def _parsed(text: str, where: str) -> dict[str, bytes]:
    keys: dict[str, bytes] = {}
    for line in text.split():
        name, _colon, encoded = line.partition(":")
        try:
            key = b64decode(encoded, altchars=b"-_", validate=True)
        except ValueError:
            key = b""
        if not name or "." in name or name in keys or len(key) != _KEY:
            # The line is not quoted: it may be a key.
            raise DatabaseError(
                f"A key in {where} cannot be used: write NAME:BASE64, with {_KEY} random bytes and names that differ."
            )
        keys[name] = key
    if not keys:
        raise DatabaseError(
            f"There is no key in {where}. Restore it from a backup. Without one, delete the file: a new key is made, "
            "and servers need a new sign-in."
        )
    return keys
