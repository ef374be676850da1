"""Where other programs keep their config files, on Linux, macOS and Windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_EDITORS = {"Code": "VS Code", "Code - Insiders": "VS Code Insiders", "VSCodium": "VSCodium"}
_HOSTS_OF_CLINE = (*_EDITORS, "Cursor", "Windsurf")
_CLINE = Path("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")

CLAUDE_DESKTOP = "Claude Desktop"
CLAUDE_CODE = "Claude Code"
CURSOR = "Cursor"
WINDSURF = "Windsurf"
CLINE = "Cline"


@dataclass(frozen=True, slots=True)
class Place:
    """A file in which a program may keep servers; `is_project`: it belongs to the folder where it was looked for."""

    program: str
    path: Path
    is_project: bool = False


def places(*, home: Path, folder: Path, environ: Mapping[str, str], platform: str) -> list[Place]:
    """Return the config files of other programs that exist: the user's, then those of the project in `folder`.

    `platform` is as `sys.platform`.
    """
    known = [*_of_the_project(folder), *_of_the_user(home, environ, platform)]
    # The home folder may be the project, too: then its files are the user's.
    known_by_path = {place.path: place for place in known}.values()
    found = [place for place in known_by_path if place.path.is_file()]
    return sorted(found, key=lambda place: place.is_project)


def _of_the_user(home: Path, environ: Mapping[str, str], platform: str) -> Iterator[Place]:
    applications = _applications(home, environ, platform)
    yield Place(CLAUDE_DESKTOP, applications / "Claude" / "claude_desktop_config.json")
    yield Place(CLAUDE_CODE, home / ".claude.json")
    for name, program in _EDITORS.items():
        user = applications / name / "User"
        for path in (user / "mcp.json", *sorted(user.glob("profiles/*/mcp.json")), user / "settings.json"):
            yield Place(program, path)
    yield Place(CURSOR, home / ".cursor" / "mcp.json")
    yield Place(WINDSURF, home / ".codeium" / "windsurf" / "mcp_config.json")
    yield Place(WINDSURF, home / ".codeium" / "mcp_config.json")
    if given := environ.get("CLINE_MCP_SETTINGS_PATH"):
        yield Place(CLINE, Path(given))
    yield Place(CLINE, home / ".cline" / "data" / "settings" / "cline_mcp_settings.json")
    for name in _HOSTS_OF_CLINE:
        yield Place(CLINE, applications / name / "User" / _CLINE)


def _of_the_project(folder: Path) -> Iterator[Place]:
    yield Place("VS Code", folder / ".vscode" / "mcp.json", is_project=True)
    yield Place(CURSOR, folder / ".cursor" / "mcp.json", is_project=True)
    yield Place(CLAUDE_CODE, folder / ".mcp.json", is_project=True)


def _applications(home: Path, environ: Mapping[str, str], platform: str) -> Path:
    """Return the folder of the settings of applications, as Electron has it (`app.getPath("appData")`)."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
