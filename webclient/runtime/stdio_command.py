"""`mcp-webclient stdio`: the gateway for agents that only start commands.

Standard output carries MCP and nothing else; what goes wrong is said on standard error, and to the agent.
"""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Annotated

import typer

from webclient.network import NotHttpsError, check_url, tls_context
from webclient.runtime.beside import refuse

TOKEN = "WEBCLIENT_AGENT_TOKEN"  # noqa: S105  (a name)
"""The variable with the token of the agent; that of `serve` is another one, which signs a person in."""

URL = Annotated[str, typer.Option("--url", help="The address of a server at the gateway: https://INBOX/mcp/SERVER.")]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        help=f"The token of the agent. Prefer {TOKEN}: other users of the machine can see command lines.",
        show_default=False,
    ),
]
CAFile = Annotated[
    Path | None,
    typer.Option("--ca-file", help="Certificates of further authorities. Or WEBCLIENT_CA_FILE.", show_default=False),
]


def pass_on(*, url: URL, token: Token = None, ca_file: CAFile = None) -> None:
    """Pass MCP between standard input and output and the gateway, until the input ends."""
    given = token or os.environ.get(TOKEN, "")
    if not given:
        refuse(f"A token is missing. Set {TOKEN} to one with the scope gateway.")
    if not (given.isascii() and given.isprintable()) or " " in given:
        refuse("The token has characters that no token has.")
    try:
        check_url(url)
    except NotHttpsError:
        refuse("This address cannot be used. Use https://, or http:// on this machine: https://INBOX/mcp/SERVER.")
    authorities = ca_file or _path(os.environ.get("WEBCLIENT_CA_FILE", ""))
    try:
        # It is kept. Once the input is read, no error ends this program before the input does.
        tls_context(authorities)
    except ValueError as error:
        refuse(str(error))
    _run(url, given, authorities)


def _run(url: str, token: str, ca_file: Path | None) -> None:
    import anyio  # noqa: PLC0415  (loading takes a second)

    from webclient import protocol  # noqa: PLC0415

    # What the SDK logs is said here in a sentence, or concerns no person.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    logging.getLogger("client").setLevel(logging.CRITICAL)
    # A thread waits for the input, so that an exception would end nothing.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(lambda: protocol.bridge(url, token, ca_file=ca_file, say=_say))
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        # The agent has gone, and nothing is left to be done.
        pass


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)
