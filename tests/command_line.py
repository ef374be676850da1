"""The options of each command, as the command line itself has them."""

from __future__ import annotations

from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from webclient.runtime.cli import app


def options_of_commands() -> dict[str, list[str]]:
    """Return the long options of each command by its name, such as "tokens create"; of a pair the first."""
    main = get_command(app)
    assert isinstance(main, TyperGroup)
    return dict(_walked(main, ""))


def _walked(group: TyperGroup, before: str) -> list[tuple[str, list[str]]]:
    found = []
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            found += _walked(command, f"{before}{name} ")
        else:
            options = [each.opts[0] for each in command.params if isinstance(each, TyperOption)]
            found.append((f"{before}{name}", options))
    return found
