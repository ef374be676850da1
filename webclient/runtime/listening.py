"""The socket that the program listens on: a port, or a Unix socket for a proxy on the same machine.

Promises: with a Unix socket no port is open; its file can be opened by the owner and the group only, and is removed at
the end.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from webclient.domain.errors import WebclientError
from webclient.settings import Settings

BACKLOG = 128
"""Connections that may wait to be accepted."""

MODE = 0o660
"""The proxy's user is in the group of the socket, or is its owner."""


_PASSING = frozenset({errno.EADDRINUSE, errno.EADDRNOTAVAIL})
"""An earlier program that has not ended yet, and an address that this machine does not have yet."""


class ListenError(WebclientError):
    """The address cannot be listened on."""

    def __init__(self, message: str, error: OSError) -> None:
        super().__init__(message)
        self.is_temporary = error.errno in _PASSING


@contextmanager
def listening(settings: Settings) -> Iterator[socket.socket]:
    """Listen on the Unix socket of the settings, or on their host and port. Raises `ListenError`."""
    if settings.unix_socket is None:
        with listen(settings) as sock:
            yield sock
        return
    with _listen_at(settings.unix_socket) as sock:
        made = settings.unix_socket.stat()
        try:
            yield sock
        finally:
            # Another program may have begun to listen there.
            with suppress(OSError):
                if os.path.samestat(made, settings.unix_socket.stat()):
                    settings.unix_socket.unlink()


def listen(settings: Settings) -> socket.socket:
    """Return a listening socket on the host and port of the settings. Raises `ListenError`."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named as TCP, which `socket.create_server` does not do: asyncio switches Nagle's algorithm off on such sockets
    # only, and with it on every event would wait 40 ms for an acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((settings.host, settings.port))
        sock.listen(BACKLOG)
        return sock
    except OSError as error:
        sock.close()
        raise ListenError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            "Choose another with --port, or --port 0 for a free one.",
            error,
        ) from error


def _listen_at(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_left_over(path)
        # No user but ours can connect before the mode is set.
        before = os.umask(0o177)
        try:
            sock.bind(str(path))
        finally:
            os.umask(before)
        path.chmod(MODE)
        sock.listen(BACKLOG)
        return sock
    except OSError as error:
        sock.close()
        raise ListenError(
            f"Cannot listen on {path}: {error.strerror or error}. Choose another path with --unix-socket, in a folder "
            "that this user may write to.",
            error,
        ) from error


def _remove_left_over(path: Path) -> None:
    """Remove the socket of a program that was killed; leave one that is in use, and any other file."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OSError(None, "there is a file that is not a socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise OSError(errno.EADDRINUSE, "another program listens there")
