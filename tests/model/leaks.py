"""Leaks that a run must not leave behind: tasks, child processes and open files."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 10.0
"""Seconds within which everything that was closed must be gone."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Tasks, child processes and open files of this process at a moment."""

    tasks: frozenset[str]
    children: frozenset[str]
    files: tuple[str, ...]


def snapshot() -> Snapshot:
    """Return what is open now."""
    gc.collect()
    tasks = {_described(task) for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    children = {
        child for task in Path("/proc/self/task").glob("*/children") for child in task.read_text("utf-8").split()
    }
    return Snapshot(frozenset(tasks), frozenset(children), tuple(sorted(_files())))


async def since(before: Snapshot) -> list[str]:
    """Return what was left behind since then, once what goes by itself is gone."""
    left: list[str] = []
    for _turn in range(int(PATIENCE * 10)):
        after = snapshot()
        left = [f"left behind: {each}" for each in (after.tasks - before.tasks) | (after.children - before.children)]
        if len(after.files) > len(before.files):
            left += [f"left open: {each}" for each in set(after.files) - set(before.files)]
        if not left:
            break
        await asyncio.sleep(0.1)
    return left


def _described(task: asyncio.Task[object]) -> str:
    """Name a task, and each await on the way to what it waits for."""
    waits: Any = task.get_coro()
    places = []
    while (frame := getattr(waits, "cr_frame", None) or getattr(waits, "gi_frame", None)) is not None:
        places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        waits = getattr(waits, "cr_await", None) or getattr(waits, "gi_yieldfrom", None)
    return f"{task}, in {' > '.join(places)}"


def _files() -> list[str]:
    found = []
    for link in Path("/proc/self/fd").glob("*"):
        try:
            found.append(str(link.readlink()))
        except OSError:
            continue
    return found
