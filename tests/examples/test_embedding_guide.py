"""The five minutes of docs/embedding.md: its files and commands lead to the first answered question."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.streams.text import TextReceiveStream
from playwright.async_api import Browser, expect

from tests.deploy.front import free_port
from tests.examples.chat import accepts_another_date
from tests.mcp_servers import ROOT

pytestmark = pytest.mark.anyio

GUIDE = (ROOT / "docs/embedding.md").read_text("utf-8").partition("## In five minutes")[2].partition("\n## ")[0]
FILES = ("embedders.json", "mcp.json", "chat.py", "index.html")
READY = ("Ready:", "Uvicorn running on")
"""The words of both programs when they listen."""


def blocks(language: str) -> list[str]:
    """Return the code blocks of this language."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def write_files(folder: Path, ports: dict[str, str]) -> str:
    """Write the files of the guide, on these ports, and return its last commands."""
    texts = [*blocks("json"), "\n\n".join(blocks("python")), *blocks("html"), blocks("sh")[-1]]
    for before, after in ports.items():
        texts = [text.replace(before, after) for text in texts]
    for name, text in zip(FILES, texts, strict=False):
        assert f"`{name}`" in GUIDE
        (folder / name).write_text(text, "utf-8")
    # The installation that the guide begins with is this one.
    (folder / ".venv").symlink_to(sys.prefix)
    return texts[-1]


@asynccontextmanager
async def started(commands: str, folder: Path, **environment: str) -> AsyncIterator[None]:
    """Run the commands in a shell while the block runs; the block begins when both programs listen."""
    async with await anyio.open_process(
        ["bash", "-c", commands],
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as shell:
        try:
            assert shell.stdout
            text = ""
            async for chunk in TextReceiveStream(shell.stdout):
                text += chunk
                if all(word in text for word in READY):
                    break
            assert all(word in text for word in READY), text
            yield
        finally:
            os.killpg(shell.pid, signal.SIGTERM)


async def test_the_guide_leads_to_an_answered_question(chromium: Browser, tmp_path: Path) -> None:
    chat, inbox = str(free_port()), str(free_port())
    commands = write_files(tmp_path, {"8000": chat, "8765": inbox})
    async with started(commands, tmp_path, WEBCLIENT_PORT=inbox):
        page = await chromium.new_page()
        await page.goto(f"http://localhost:{chat}")
        await page.get_by_role("button", name="Book").click()
        await accepts_another_date(page)
        await expect(page.locator("#answer")).to_contain_text("Booked for")
        await page.get_by_role("button", name="Sign out").click()
        await page.wait_for_function("document.querySelector('mcp-inbox').state === 'signed-out'")
        # The backend has no token any more, and every other frame of the person is cleared.
        assert (
            await page.request.post(f"{page.url}inbox-token", headers={"Origin": page.url.rstrip("/")})
        ).status == 401
        await page.close()
