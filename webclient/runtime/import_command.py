"""`mcp-webclient import`: take over servers that other programs are configured with.

It shows names and masked addresses, asks, and never replaces anything without a word; options answer for scripts.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Never

import typer

from webclient.content.visible_text import visible
from webclient.domain.model import Server
from webclient.runtime import exit_status
from webclient.servers.config_file import Candidate, Place, Target, apart, candidates, named_places, places
from webclient.settings import ConfigError

_WIDEST = 70


class IfExists(StrEnum):
    """The ways to treat a server whose name is taken."""

    ASK = "ask"
    SKIP = "skip"
    RENAME = "rename"
    REPLACE = "replace"


To = Annotated[
    Path,
    typer.Option("--to", envvar="WEBCLIENT_CONFIG", help="The config file to add servers to; it is made if need be."),
]
From = Annotated[
    list[Path] | None, typer.Option("--from", help="Read this file instead of those of the programs that are known.")
]
Names = Annotated[list[str] | None, typer.Option("--server", help="Take over the server with this name; repeatable.")]
All = Annotated[bool, typer.Option("--all", help="Take over every server that is found.")]
Exists = Annotated[IfExists, typer.Option("--if-exists", help="What to do where the name is taken.")]
ListOnly = Annotated[bool, typer.Option("--list", help="Only show what is found.")]


def import_servers(
    *,
    to: To = Path("mcp.json"),
    source: From = None,
    server: Names = None,
    everything: All = False,
    if_exists: Exists = IfExists.ASK,
    only_list: ListOnly = False,
) -> None:
    """Take over MCP servers from Claude, VS Code, Cursor, Codex, Zed and others."""
    named = [place for path in source or () for place in named_places(path, Path.cwd())]
    found = apart(_found(named or _known_places()))
    if not found:
        _refuse("No servers were found there." if named else "No servers were found. Name a file with --from.")
    _show(found)
    if only_list:
        return
    try:
        target = Target(to)
        picked = found if everything else _picked(found, server)
        for each in picked:
            _take_over(each, target, if_exists)
        _finish(target)
    except ConfigError as error:
        _refuse(str(error))


def _known_places() -> list[Place]:
    return places(home=Path.home(), folder=Path.cwd(), environ=os.environ, platform=sys.platform)


def _found(known: list[Place]) -> list[Candidate]:
    servers: list[Candidate] = []
    for place in known:
        try:
            found = candidates(place, os.environ)
        except ConfigError as error:
            # One file that cannot be read does not hide the others.
            typer.echo(str(error), err=True)
            continue
        servers += found.candidates
        if found.left_out:
            names = ", ".join(visible(name, 40) for name in found.left_out)
            typer.echo(f"{place.program}: left out, as these are parts or extensions of the program: {names}", err=True)
    return servers


def _show(found: list[Candidate]) -> None:
    width = min(max(len(visible(each.name, 40)) for each in found), 40)
    before: Place | None = None
    for number, each in enumerate(found, start=1):
        if each.place != before:
            before = each.place
            inside = f", for {each.place.inside}" if each.place.inside else ""
            typer.echo(f"{each.place.program}: {each.place.path}{inside}")
        typer.echo(f"  {number:3}  {visible(each.name, 40):{width}}  {_described(each)}")
        if unused := _unused(each):
            typer.echo(f"       {'':{width}}  {unused}")


def _unused(candidate: Candidate) -> str:
    """Return a sentence about the keys that are taken over without an effect, or ""."""
    names = ", ".join(visible(name, 40) for name in candidate.config.unused)
    return f"Without effect here: {names}." if names else ""


def _described(candidate: Candidate) -> str:
    shown = candidate.config.shown
    address = Server(user_id="", label="", transport=shown).address
    arguments = " ".join(shown.get("args") or [])
    notes = [
        *([] if candidate.config.enabled else ["disabled"]),
        *([f"cannot be used yet. {_why(candidate)}"] if candidate.config.error else []),
    ]
    text = visible(f"{address} {arguments}".strip(), _WIDEST)
    return f"{text}  ({'; '.join(notes)})" if notes else text


def _why(candidate: Candidate) -> str:
    """Return what is wrong with the entry, without the file and the name, which stand before it."""
    begin = f'{candidate.place.path}: server "{candidate.config.name}": '
    return visible((candidate.config.error or "").removeprefix(begin), 200)


def _picked(found: list[Candidate], names: list[str] | None) -> list[Candidate]:
    if names:
        unknown = [name for name in names if name not in {each.name for each in found}]
        if unknown:
            _refuse(f"These files have no server named {unknown[0]!r}.")
        return [each for each in found if each.name in names]
    if not sys.stdin.isatty():
        _refuse("Say which servers to take over: --all, or --server NAME.")
    while True:
        typed = typer.prompt(
            "Which servers? Numbers such as 1,3-5, or all; Enter for none", default="", show_default=False
        )
        numbers = read_numbers(typed, len(found))
        if numbers is not None:
            return [found[number - 1] for number in numbers]
        typer.echo(f"Type numbers from 1 to {len(found)}, such as 1,3-5.")


def read_numbers(text: str, most: int) -> list[int] | None:
    """Return the numbers from 1 to `most` that `text` names, such as `1,3-5` or `all`; None for anything else."""
    if text.strip().lower() in ("all", "*"):
        return list(range(1, most + 1))
    picked: set[int] = set()
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        last = last if dash else first
        # ASCII digits, and few of them: `int` would take any script's, and any length.
        if not all(each.isascii() and each.isdigit() and len(each) <= 6 for each in (first, last)):
            return None
        if not 1 <= int(first) <= int(last) <= most:
            return None
        picked.update(range(int(first), int(last) + 1))
    return sorted(picked)


def _take_over(candidate: Candidate, target: Target, if_exists: IfExists) -> None:
    name = candidate.name
    if target.servers.get(name) == candidate.entry:
        typer.echo(f"{_seen(name)}: is there already, unchanged.")
        return
    if name in target.servers:
        chosen = _choice(name, target) if if_exists is IfExists.ASK else if_exists
        if chosen is IfExists.SKIP:
            typer.echo(f"{_seen(name)}: skipped, since another server has this name.")
            return
        if chosen is IfExists.REPLACE:
            typer.echo(f"{_seen(name)}: replaces the server that had this name.")
        else:
            name = target.free_name(name)
    target.add(name, candidate)
    typer.echo(f"{_seen(name)}: added from {candidate.place.program}.")
    if candidate.config.error:
        typer.echo(f"  It cannot be used yet. {_why(candidate)}")
    if unused := _unused(candidate):
        typer.echo(f"  {unused}")


def _choice(name: str, target: Target) -> IfExists:
    if not sys.stdin.isatty():
        return IfExists.SKIP
    prompt = "{name} is in {path} already, with other settings. skip, rename (to {free}) or replace?"
    choices = [each.value for each in IfExists if each is not IfExists.ASK]
    while True:
        typed = typer.prompt(
            prompt.format(name=_seen(name), path=target.path, free=_seen(target.free_name(name))),
            default=IfExists.SKIP.value,
        )
        fitting = [each for each in choices if typed.strip() and each.startswith(typed.strip().lower())]
        if len(fitting) == 1:
            return IfExists(fitting[0])


def _finish(target: Target) -> None:
    if not target.changed:
        typer.echo("Nothing was changed.")
        return
    backup = target.write()
    n = len(target.servers)
    typer.echo(f"{target.path} now has {n} {'server' if n == 1 else 'servers'}.")
    if backup:
        typer.echo(f"The previous file, with its comments, is in {backup}.")
    typer.echo(f"Start: mcp-webclient serve --config {target.path}")


def _seen(name: str) -> str:
    return visible(name, 80)


def _refuse(sentence: str) -> Never:
    typer.echo(sentence, err=True)
    raise typer.Exit(exit_status.USAGE)
