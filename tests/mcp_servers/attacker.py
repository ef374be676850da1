"""A server that attacks its client, by hand and without the SDK, over streamable HTTP or stdio, in both eras.

`python -m tests.mcp_servers.attacker --transport http --port 0`; each tool is one attack. `--catalog CASE` attacks with
its list of tools, `--greets CASE` with its first answer. Floods take `{"n": HOW_MANY, "rate": EACH_SECOND}`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from time import monotonic

from webclient.domain.model import Era, Json

MEBIBYTE = 2**20
METHOD_NOT_FOUND = -32601
SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}

FLOODS: dict[str, Json] = {
    "ping": {"id": 0, "method": "ping"},
    "sampling": {"id": 0, "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}},
    "create": {
        "id": 0,
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "And now?", "requestedSchema": SCHEMA},
    },
    "complete": {"method": "notifications/elicitation/complete", "params": {"elicitationId": "e"}},
    "log": {"method": "notifications/message", "params": {"level": "info", "data": "And now?"}},
    "changed": {"method": "notifications/tools/list_changed"},
}
"""Messages that the tool of that name sends again and again, each with another id, if it has one."""

BODIES = ("json-bomb", "event-bomb", "error-bomb", "json", "event", "error", "values")
"""Tools that answer over HTTP with `{"mebibytes": N}` of that: compressed, or plain."""

LINES = ("line", "lines", "deaf")
"""Tools that answer over stdio with one endless line, many long ones, or endless pings while reading no more."""

ROUNDS = ("state", "requests")
"""Tools that answer in 2026-07-28 with `{"mebibytes": N}` of that."""


def tools(case: str | None) -> Json:
    """Return the result of `tools/list`."""
    names = [*FLOODS, *BODIES, *LINES, *ROUNDS, "ask"]
    listed: list[object] = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    match case:
        case "many":
            listed = [{"name": f"t{n}", "description": "x" * 100, "inputSchema": SCHEMA} for n in range(20_000)]
        case "large":
            listed = [{"name": f"t{n}", "description": "x" * 100_000, "inputSchema": SCHEMA} for n in range(200)]
        case "misnamed":
            other = {"type": "object", "properties": {"other": {"type": "string"}}}
            listed = [{"name": "ask", "inputSchema": SCHEMA}, {"name": "ask", "inputSchema": other}]
            listed += [{"name": name, "inputSchema": SCHEMA} for name in ("two words", "x" * 129, "ok.name-1_")]
        case "ill-typed":
            listed = [{"name": "bad", "inputSchema": 7}, {"name": ["worse"]}, 8, *listed]
            listed += [{"name": "odd", "description": 7, "inputSchema": {"type": "object"}, "annotations": "no"}]
        case "no-list":
            listed = {"tools": 7}  # type: ignore[assignment]
        case "endless":
            return {**LASTING, "tools": listed[:1], "nextCursor": str(monotonic())}
    return {**LASTING, "tools": listed}


LASTING: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


ODD_INFO: Json = {
    "name": "attacker",
    "version": "1",
    "title": "Odd one",
    "description": ["not", "a", "text"],
    "websiteUrl": 7,
    "icons": [{"src": "data:image/png,a", "theme": "auto"}, {"href": "b"}, 8, {"src": "data:image/png,c"}],
}
"""A description of itself that is not valid MCP."""


class Attacker:
    """The responses of the server, over any transport."""

    def __init__(self, catalog: str | None, greets: str | None) -> None:
        self._catalog = catalog
        self._greets = greets

    def answer(self, message: Json) -> Json:
        """Return the response to a request that is not an attack."""
        method = message["method"]
        if method == "tools/list" and self._catalog == "failing":
            return _error(message, -32603, "The list is on fire")
        results: dict[str, Callable[[], Json]] = {
            "initialize": lambda: {"protocolVersion": Era.PUSH, **self._greeting()},
            "server/discover": lambda: {"supportedVersions": [Era.ROUNDS], **LASTING, **self._greeting()},
            "tools/list": lambda: tools(self._catalog),
            "ping": dict,
        }
        if method not in results:
            return _error(message, METHOD_NOT_FOUND, f"Method not found: {method}")
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[method]()}

    def _greeting(self) -> Json:
        instructions = "x" * 8 * MEBIBYTE if self._greets == "long" else "Beware."
        info = ODD_INFO if self._greets == "odd" else {"name": "attacker", "version": "1"}
        said = {"serverInfo": info, "_meta": {"io.modelcontextprotocol/serverInfo": info}}
        return {"capabilities": {"tools": {"listChanged": True}}, "instructions": instructions, **said}


def _error(message: Json, code: int, text: str) -> Json:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}


def result(message: Json, text: str = "done", **more: object) -> Json:
    """Return the response that ends a call."""
    body = {"resultType": "complete", "content": [{"type": "text", "text": text}], **more}
    return {"jsonrpc": "2.0", "id": message["id"], "result": body}


async def flood(name: str, arguments: Json) -> AsyncIterator[Json]:
    """Yield the messages of a flood at its rate."""
    started, rate = monotonic(), arguments.get("rate", 5000)
    for n in itertools.islice(itertools.count(), arguments.get("n")):
        message = {"jsonrpc": "2.0", **FLOODS[name]}
        yield message | ({"id": f"flood-{n}"} if "id" in message else {})
        if (early := started + n / rate - monotonic()) > 0.01:
            await asyncio.sleep(early)


def rounds(message: Json, name: str, arguments: Json) -> Json:
    """Return a round of requests with a state, or requests, of that size."""
    size = int(arguments.get("mebibytes", 30) * MEBIBYTE)
    request = {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": SCHEMA}}
    body: Json = {"resultType": "input_required", "inputRequests": {"q": request}, "requestState": "s"}
    if name == "state":
        body["requestState"] = "s" * size
    elif name == "requests":
        body["inputRequests"] = {f"q{n}": request for n in range(size // len(json.dumps(request)))}
    return {"jsonrpc": "2.0", "id": message["id"], "result": body}


def chunks(message: Json, name: str, mebibytes: int) -> Iterator[bytes]:
    """Yield the body of one answer: JSON whose text goes on for so many mebibytes."""
    kind = name.partition("-")[0]
    begin, end = json.dumps(result(message, "@@")).split("@@")
    piece, between = b" " * MEBIBYTE, ""
    if kind == "values":
        begin, end = json.dumps(result(message, structuredContent={"a": "@@"})).split('"@@"')
        begin, end, piece = f"{begin}[", f"[]]{end}", b"[]," * (MEBIBYTE // 3)
    if kind == "error":
        begin, end = json.dumps(_error(message, -32603, "@@")).split("@@")
    if kind == "event":
        between, end = "data: ", end + "\n\n"
    yield (between + begin).encode()
    yield from itertools.repeat(piece, mebibytes)
    yield end.encode()


def compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same as gzip; each mebibyte is compressed once only."""
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    known: dict[bytes, bytes] = {}
    for piece in pieces:
        if piece not in known:
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            known[piece] = deflate.compress(piece) + deflate.flush(zlib.Z_FULL_FLUSH)
        yield known[piece]


class HttpAttacker:
    """Speaks streamable HTTP, just enough of it."""

    def __init__(self, attacker: Attacker, greets: str | None) -> None:
        self._attacker = attacker
        self._greets = greets

    async def serve(self, port: int) -> None:
        """Listen until ended."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", port)
        sys.stdout.write(f"Listening: http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp\n")
        sys.stdout.flush()
        await server.serve_forever()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length: ")[2].split()[0]) if b"content-length: " in head else 0
                body = await reader.readexactly(length)
                await self._request(head.split()[0], json.loads(body) if body else {}, writer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _request(self, verb: bytes, message: Json, writer: asyncio.StreamWriter) -> None:
        params = message.get("params") or {}
        name = params.get("name") if message.get("method") == "tools/call" else None
        arguments = params.get("arguments") or {}
        if verb == b"get":
            writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
        elif "id" not in message or "method" not in message:
            writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
        elif name in FLOODS:
            await self._flood(message, name, arguments, writer)
        elif name in BODIES or (self._greets == "bomb" and message["method"] != "server/discover"):
            await self._body(message, name or "json-bomb", arguments, writer)
        else:
            response = rounds(message, name, arguments) if name in ROUNDS else self._attacker.answer(message)
            body = json.dumps(result(message) if name == "ask" else response).encode()
            writer.write(_head(200, "application/json", f"Content-Length: {len(body)}") + body)

    async def _flood(self, message: Json, name: str, arguments: Json, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, "text/event-stream", "Transfer-Encoding: chunked"))
        async for each in flood(name, arguments):
            await _chunk(writer, f"data: {json.dumps(each)}\n\n".encode())
        await _chunk(writer, f"data: {json.dumps(result(message))}\n\n".encode())
        await _chunk(writer, b"")

    async def _body(self, message: Json, name: str, arguments: Json, writer: asyncio.StreamWriter) -> None:
        pieces = chunks(message, name, arguments.get("mebibytes", 1100 if "bomb" in name else 100))
        kind = "text/event-stream" if name.startswith("event") else "application/json"
        encoding = ("Content-Encoding: gzip",) if name.endswith("bomb") else ()
        writer.write(_head(500 if name.startswith("error") else 200, kind, "Transfer-Encoding: chunked", *encoding))
        for piece in compressed(pieces) if encoding else pieces:
            await _chunk(writer, piece)
        await _chunk(writer, b"")


def _head(status: int, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} So", f"Content-Type: {kind}", "Mcp-Session-Id: s", *more]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


async def serve_stdio(attacker: Attacker) -> None:
    """Speak over standard input and output; a flood is written whether or not anybody reads the answers."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=64 * MEBIBYTE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    attacks = set()

    async def attack(message: Json, name: str, arguments: Json) -> None:
        mebibytes = arguments.get("mebibytes", 100)
        if name == "line":
            for piece in chunks(message, "json", mebibytes):
                writer.write(piece)
                await writer.drain()
        elif name == "deaf":
            os.set_blocking(sys.stdout.fileno(), True)
            while True:  # The loop that reads is never reached, and few answers of this length fill the pipe.
                sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": "p" * 10_000, "method": "ping"}) + "\n")
        elif name == "lines":
            noise = json.dumps({"jsonrpc": "2.0", **FLOODS["log"], "params": {"level": "info", "data": "x" * MEBIBYTE}})
            for _n in range(mebibytes):
                writer.write(noise.encode() + b"\n")
                await writer.drain()
        else:
            async for each in flood(name, arguments):
                writer.write(json.dumps(each).encode() + b"\n")
                await writer.drain()
        writer.write(json.dumps(result(message)).encode() + b"\n")

    while line := await reader.readline():
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        params = message.get("params") or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        if message["method"] == "tools/call" and (name in FLOODS or name in LINES):
            attacks.add(asyncio.create_task(attack(message, name, arguments)))
        elif message["method"] == "tools/call":
            response = rounds(message, name, arguments) if name in ROUNDS else result(message)
            writer.write(json.dumps(response).encode() + b"\n")
        else:
            writer.write(json.dumps(attacker.answer(message)).encode() + b"\n")
        await writer.drain()


def main() -> None:
    """Serve what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--era", help="taken as the other servers take it; it speaks both")
    parser.add_argument("--catalog")
    parser.add_argument("--greets", choices=["bomb", "long", "odd"])
    options = parser.parse_args()
    attacker = Attacker(options.catalog, options.greets)
    if options.transport == "stdio":
        asyncio.run(serve_stdio(attacker))
    else:
        asyncio.run(HttpAttacker(attacker, options.greets).serve(options.port))


if __name__ == "__main__":
    main()
