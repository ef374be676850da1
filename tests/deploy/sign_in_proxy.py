"""A stand-in for oauth2-proxy: a browser with the cookie `who` is signed in, and is named in its header.

Its sign-in is on another host, 127.0.0.1, with a link for each user, and leads back to the page that was wanted; with
`own_page`, it is a page of its own host.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import parse_qs, quote, urlsplit

USERS = ("ada", "ben")


@asynccontextmanager
async def serving(*, own_page: bool = False) -> AsyncIterator[str]:
    """Serve while the block runs; yield the host and port."""
    provider = await asyncio.start_server(partial(_answer, provider=""), "127.0.0.1", 0)
    # Apart from the proxy itself, as nginx leads redirects to that back to itself.
    server = await asyncio.start_server(
        partial(_answer, provider="" if own_page else _address(provider)), "127.0.0.1", 0
    )
    async with provider, server:
        yield _address(server)


def _address(server: asyncio.Server) -> str:
    return "{}:{}".format(*server.sockets[0].getsockname())


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, provider: str) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except (asyncio.IncompleteReadError, ConnectionError):
        # A browser opens connections before it needs them.
        writer.close()
        return
    address = urlsplit(head.split(" ")[1])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    status, headers, body = "200 OK", [], "sign in here"
    match address.path:
        case "/oauth2/auth":
            found = re.search(r"\bwho=(\w+)", head)
            status, body = ("202 Accepted" if found else "401 Unauthorized"), ""
            headers = [f"X-Auth-Request-User: {found[1]}"] if found else []
        case "/oauth2/sign_in" if "rd" in query and provider:
            host = re.findall(r"(?im)^host: (\S+)", head)[0]
            status = "302 Found"
            headers = [f"Location: http://{provider}/choose?host={quote(host)}&rd={quote(query['rd'])}"]
        case "/choose":
            back = f"https://{query['host']}/oauth2/callback?rd={quote(query['rd'])}&who="
            links = [f'<p><a href="{back}{user}">Sign in as {user}</a></p>' for user in USERS]
            headers, body = ["Content-Type: text/html"], "<!doctype html><title>Sign in</title>" + "".join(links)
        case "/oauth2/callback":
            status = "302 Found"
            cookie = f"who={query['who']}; Path=/; Secure; HttpOnly; SameSite=Lax"
            headers = [f"Location: {query['rd']}", f"Set-Cookie: {cookie}"]
    lines = [f"HTTP/1.1 {status}", *headers, "Connection: close", f"Content-Length: {len(body)}", "", body]
    writer.write("\r\n".join(lines).encode())
    await writer.drain()
    writer.close()
