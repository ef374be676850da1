"""Starts mcp-webclient and one of the examples beside it, with one command:

    python examples/start.py plain

It prints the address of the chat. Ctrl-C ends both programs. In a company each of them is a service of its own.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

HERE = Path(__file__).parent
STREAMLIT = ["--server.headless=true", "--server.address=127.0.0.1", "--browser.gatherUsageStats=false"]
CHATS = {
    "plain": ["chat.py"],
    "messenger": ["../plain/chat.py"],
    "chainlit": ["-m", "chainlit", "run", "chat.py", "--headless", "--port={port}"],
    "streamlit": ["-m", "streamlit", "run", "chat.py", "--server.port={port}", *STREAMLIT],
}
"""How Python runs each example, in its folder."""


def python_of(name: str) -> str:
    """Return the Python of an example: that of its own environment if it needs packages, else this one."""
    if not (HERE / name / "requirements.txt").exists():
        return sys.executable
    own = HERE.parent / "build" / "examples" / name / "bin" / "python"
    return str(own) if own.exists() else sys.exit(f"Use make example-{name}: it installs the packages first.")


def port_of_the_chat() -> int:
    """Return CHAT_PORT, or a free port if that is 0."""
    wanted = int(os.environ.get("CHAT_PORT", "8700"))
    if wanted and not is_free(wanted):
        sys.exit(f"Port {wanted} is in use. Set CHAT_PORT to another one, or to 0 for any that is free.")
    # Operating systems give higher ports to any program, so another one could take it before the chat starts.
    return wanted or next(filter(is_free, iter(lambda: random.randrange(20_000, 30_000), None)))


def is_free(port: int) -> bool:
    """Return whether a program can listen on this port."""
    with socket.socket() as trial:
        # A port that was just left counts as free, as for the servers here.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


@contextmanager
def program(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a program while the block runs."""
    # In a group of its own: Ctrl-C reaches this program alone, which ends both in order.
    with subprocess.Popen(command, encoding="utf-8", process_group=0, **options) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def inbox(origin: str, secret: str) -> Iterator[str]:
    """Run mcp-webclient with the chat as its embedder and one MCP server; give its address."""
    servers = {"trips": {"command": sys.executable, "args": ["-m", "webclient.demo"]}}
    chat = {"name": "Team chat", "issuer": origin, "origins": [origin], "secret_env": "INBOX_SECRET"}
    chat["may"] = ["inbox", "calls", "ask", "embed:admin"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "mcp.json").write_text(json.dumps({"mcpServers": servers}), "utf-8")
        Path(folder, "embedders.json").write_text(json.dumps({"chat": chat}), "utf-8")
        command = [sys.executable, "-m", "webclient", "serve", "--port", "0", "--data-dir", f"{folder}/data"]
        command += ["--config", f"{folder}/mcp.json", "--embedders", f"{folder}/embedders.json"]
        environment = os.environ | {"INBOX_SECRET": secret}
        with program(command, stdout=subprocess.PIPE, env=environment, cwd=HERE.parent) as process:
            ready = next((line for line in process.stdout or () if line.startswith("Ready: ")), "")
            if not ready:
                sys.exit("mcp-webclient did not start; the reason stands above.")
            yield "{0.scheme}://{0.netloc}".format(urlsplit(ready.removeprefix("Ready: ")))


def wait_until_it_listens(port: int, process: subprocess.Popen[str]) -> None:
    """Return as soon as the program listens on the port."""
    while process.poll() is None:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("The chat did not start; the reason stands above.")


def start(name: str) -> None:
    """Run both programs until one of them ends."""
    port, secret = port_of_the_chat(), secrets.token_hex(32)
    # Another site than 127.0.0.1 of the inbox, as in a company.
    origin = f"http://localhost:{port}"
    with inbox(origin, secret) as url:
        environment = os.environ | {"INBOX_URL": url, "INBOX_SECRET": secret, "CHAT_ORIGIN": origin}
        environment |= {"CHAT_PORT": str(port), "MCP_PYTHON": sys.executable}
        # A real app installs the second one.
        environment["PYTHONPATH"] = os.pathsep.join([f"{HERE}/company", f"{HERE.parent}/clients/python"])
        command = [python_of(name), *(part.format(port=port) for part in CHATS[name])]
        # Programs announce their addresses; the one to open is printed below.
        with program(command, stdout=subprocess.DEVNULL, env=environment, cwd=HERE / name) as chat:
            wait_until_it_listens(port, chat)
            print(f"Chat: {origin}", "Sign in there as Ada or as Grace. Ctrl-C ends it.", sep="\n", flush=True)
            os.wait()
            sys.exit("One of the two programs has ended; the reason stands above.")


if __name__ == "__main__":
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda *_arguments: sys.exit())
    if sys.argv[1:2] not in [[name] for name in CHATS]:
        sys.exit(f"Usage: python examples/start.py {' | '.join(CHATS)}")
    try:
        start(sys.argv[1])
    except KeyboardInterrupt:
        sys.exit()
