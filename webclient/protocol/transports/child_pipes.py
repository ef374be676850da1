"""A child process on pipes, started as `subprocess` does on any event loop.

uvloop's own children have sockets in place of pipes, which `/dev/stdout` cannot open, and copies of them under other
numbers, which grandchildren inherit: the end of such a child is not seen while one of these lives (0.23).
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

POLL_INTERVAL = 0.01
"""Seconds between two looks whether a child has ended, for those who wait for that."""


async def start(
    command: Sequence[str], *, env: Mapping[str, str] | None, stderr: TextIO, cwd: Path | str | None
) -> PipedChild:
    """Start a child as the leader of a session of its own. Raises OSError, and ValueError for a NUL in the command."""
    child = subprocess.Popen(  # noqa: ASYNC220, S603  (asyncio starts its children in the same way; what runs is the user's)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=env,
        cwd=cwd,
        start_new_session=True,
        bufsize=0,
    )
    try:
        # Only this function knows the child so far, so cancelling it would leave the child running.
        with anyio.CancelScope(shield=True):
            piped = PipedChild(child, await _writer(child.stdin), await _reader(child.stdout))
    except BaseException:
        child.kill()
        raise
    return piped


class PipedChild(Process):
    """The child, with streams of bytes for its input and output."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: ByteSendStream, stdout: ByteReceiveStream) -> None:
        self._child = child
        self._stdin = stdin
        self._stdout = stdout

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._child.poll()

    @property
    def stdin(self) -> ByteSendStream:
        """What it reads."""
        return self._stdin

    @property
    def stdout(self) -> ByteReceiveStream:
        """What it writes."""
        return self._stdout

    @property
    def stderr(self) -> None:
        """Goes to the file that it was started with."""
        return None

    async def wait(self) -> int:
        """Wait until it has ended."""
        while (code := self.returncode) is None:  # noqa: ASYNC110  (the SDK looks as often, and for as long)
            await anyio.sleep(POLL_INTERVAL)
        return code

    async def aclose(self) -> None:
        """Close its input and output, and wait until it has ended."""
        await self._stdin.aclose()
        await self._stdout.aclose()
        await self.wait()

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._child.terminate()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._child.kill()

    def send_signal(self, signal: int) -> None:
        """Send a signal."""
        self._child.send_signal(signal)


class _Output(ByteReceiveStream):
    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self._reader = reader
        self._transport = transport

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        if data := await self._reader.read(max_bytes):
            return data
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        self._reader.set_exception(anyio.ClosedResourceError())
        self._transport.close()
        await anyio.lowlevel.checkpoint()


class _Input(ByteSendStream):
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._is_closed = False

    async def send(self, item: bytes) -> None:
        await anyio.lowlevel.checkpoint()
        if self._is_closed:
            raise anyio.ClosedResourceError
        try:
            self._writer.write(item)
            await self._writer.drain()
        except (ConnectionError, RuntimeError) as error:
            # A RuntimeError is uvloop's way to say that the pipe is broken.
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        self._is_closed = True
        self._writer.close()
        await anyio.lowlevel.checkpoint()


async def _reader(pipe: Any) -> _Output:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    return _Output(reader, transport)


async def _writer(pipe: Any) -> _Input:
    loop = asyncio.get_running_loop()
    # It reads nothing: its flow control is what a writer needs.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
    )
    return _Input(asyncio.StreamWriter(transport, protocol, None, loop))
