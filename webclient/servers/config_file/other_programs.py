"""The programs whose servers can be read: where each keeps its files, under which keys, and how it writes an entry.

One line of `PROGRAMS` for each. The format of a file follows from the end of its name: TOML, YAML, or else JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from webclient.servers.config_file import dialects
from webclient.servers.config_file.dialects import Dialect

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Layout:
    """The keys that lead to the servers in a file, and how the program writes an entry.

    `suffixes`: only files with such an end are meant. `is_vague`: other programs use the key for something else, so its
    values must look like servers. `is_list`: the servers are a list, and have their names in them.
    """

    keys: tuple[str, ...]
    dialect: Dialect = dialects.plain
    suffixes: tuple[str, ...] = ()
    is_vague: bool = False
    is_list: bool = False

    def fits(self, suffix: str) -> bool:
        """Return whether files with this end can have this layout."""
        return not self.suffixes or suffix.lower() in self.suffixes


_COMMON = (Layout(("mcpServers",)),)
_EDITOR = (Layout(("servers",)), Layout(("mcp", "servers")), *_COMMON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that keeps servers in files: those of its user, and those of a project, each by a pattern.

    A pattern of the user begins with `~`, `{config}`, `{applications}` or `$VARIABLE`. `upwards`: the program also
    reads the files of the folders above, up to the root of the repository. `by_folder`: the files of its user also have
    servers for single folders, under `projects`. `switches` are files beside a project's file that may turn off its
    servers.
    """

    name: str
    user: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    layouts: tuple[Layout, ...] = _COMMON
    upwards: bool = False
    by_folder: bool = False
    switches: tuple[str, ...] = ()


def _editor(name: str, folder: str, project: tuple[str, ...] = ()) -> Program:
    user = f"{{applications}}/{folder}/User"
    return Program(
        name=name,
        user=(f"{user}/mcp.json", f"{user}/profiles/*/mcp.json", f"{user}/settings.json"),
        project=project,
        layouts=_EDITOR,
    )


_CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

PROGRAMS: tuple[Program, ...] = (
    Program(name="Claude Desktop", user=("{applications}/Claude/claude_desktop_config.json",)),
    Program(
        name="Claude Code",
        user=("~/.claude.json",),
        project=(".mcp.json",),
        upwards=True,
        by_folder=True,
        switches=(".claude/settings.json", ".claude/settings.local.json"),
    ),
    _editor("VS Code", "Code", project=(".vscode/mcp.json",)),
    _editor("VS Code Insiders", "Code - Insiders"),
    _editor("VSCodium", "VSCodium"),
    Program(name="Cursor", user=("~/.cursor/mcp.json",), project=(".cursor/mcp.json",)),
    Program(name="Windsurf", user=("~/.codeium/windsurf/mcp_config.json", "~/.codeium/mcp_config.json")),
    Program(
        name="Cline",
        user=(
            "$CLINE_MCP_SETTINGS_PATH",
            "~/.cline/data/settings/cline_mcp_settings.json",
            *(f"{{applications}}/{host}/{_CLINE}" for host in ("Code", "Code - Insiders", "VSCodium")),
            *(f"{{applications}}/{host}/{_CLINE}" for host in ("Cursor", "Windsurf")),
        ),
    ),
    Program(
        name="Gemini CLI",
        user=("~/.gemini/settings.json",),
        project=(".gemini/settings.json",),
        layouts=(Layout(("mcpServers",), dialects.gemini),),
    ),
    Program(
        name="Codex",
        user=("$CODEX_HOME/config.toml", "~/.codex/config.toml"),
        project=(".codex/config.toml",),
        layouts=(Layout(("mcp_servers",), dialects.codex),),
        upwards=True,
    ),
    Program(name="Copilot CLI", user=("$COPILOT_HOME/mcp-config.json", "~/.copilot/mcp-config.json")),
    Program(
        name="Zed",
        user=("{config}/zed/settings.json", "{applications}/Zed/settings.json"),
        project=(".zed/settings.json",),
        layouts=(Layout(("context_servers",), dialects.zed),),
    ),
    Program(
        name="OpenCode",
        user=("$OPENCODE_CONFIG", "{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
        project=("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"),
        layouts=(Layout(("mcp", "servers"), dialects.opencode), Layout(("mcp",), dialects.opencode, is_vague=True)),
        upwards=True,
    ),
    Program(
        name="Goose",
        user=("{config}/goose/config.yaml", "{applications}/Block/goose/config/config.yaml"),
        layouts=(Layout(("extensions",), dialects.goose, _YAML),),
    ),
    Program(
        name="Continue",
        user=("~/.continue/config.yaml", "~/.continue/mcpServers/*.yaml", "~/.continue/mcpServers/*.json"),
        project=(".continue/mcpServers/*.yaml", ".continue/mcpServers/*.json"),
        layouts=(Layout(("mcpServers",), dialects.continue_dev, is_list=True),),
    ),
    Program(
        name="LibreChat",
        project=("librechat.yaml",),
        layouts=(Layout(("mcpServers",), dialects.librechat),),
    ),
    Program(name="Kiro", user=("~/.kiro/settings/mcp.json",), project=(".kiro/settings/mcp.json",)),
    Program(name="LM Studio", user=("~/.lmstudio/mcp.json",)),
)
"""Each is documented by its program; `docs/config.md` has the addresses."""

_AMP = Layout(("amp.mcpServers",))

LAYOUTS: tuple[Layout, ...] = (*_EDITOR, _AMP, *(each for program in PROGRAMS for each in program.layouts))
"""All layouts; the first one that has a key counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file in which a program may keep servers; `is_project`: it belongs to the folder where it was looked for.

    `inside` is the folder whose servers are meant, in a file that has those of several. `switches` are files that may
    turn its servers off. `is_named`: a person has named the file.
    """

    program: str
    path: Path
    is_project: bool = False
    inside: Path | None = None
    switches: tuple[Path, ...] = ()
    is_named: bool = False


def places(*, home: Path, folder: Path, environ: Mapping[str, str], platform: str) -> list[Place]:
    """Return the config files of other programs that exist: the user's, then those of the project in `folder`.

    `platform` is as `sys.platform`.
    """
    bases = _bases(home, environ, platform)
    of_user = [Place(program.name, path) for program in PROGRAMS for path in _files(program.user, bases)]
    of_project = [place for program in PROGRAMS for place in _of_project(program, folder, bases)]
    known: dict[tuple[Path, Path | None], Place] = {}
    # The home folder may be the project, too: then its files are the user's.
    for place in (*of_user, *of_project):
        known.setdefault((place.path, place.inside), place)
    return [place for place in known.values() if place.path.is_file()]


def named_places(path: Path, folder: Path) -> list[Place]:
    """Return the places in a file that a person names: the whole, and what it has for `folder`."""
    program = program_of(path)
    name = program.name if program else path.name
    inside = _folders(folder, upwards=True) if program and program.by_folder else []
    return [Place(name, path, is_named=True), *(Place(name, path, is_project=True, inside=each) for each in inside)]


def program_of(path: Path) -> Program | None:
    """Return the program whose file this must be, by the end of its path; None for any other."""
    whole = Path(path).absolute()
    return next((each for each in PROGRAMS if any(whole.match(end) for end in _ends(each))), None)


def layouts_of(path: Path) -> Sequence[Layout]:
    """Return the layouts that the file at `path` may have, those of its program first."""
    program = program_of(path)
    known = (*(program.layouts if program else ()), *LAYOUTS)
    return [each for each in known if each.fits(path.suffix)]


def _ends(program: Program) -> Iterator[str]:
    yield from program.project
    for pattern in program.user:
        base, _slash, end = pattern.partition("/")
        if not base.startswith("$") and end:
            yield end


def _of_project(program: Program, folder: Path, bases: Mapping[str, Path]) -> Iterator[Place]:
    for each in _folders(folder, upwards=program.upwards):
        of_user = [*_files(program.user, bases)] if program.by_folder else []
        switches = (*(each / name for name in program.switches), *of_user)
        for pattern in program.project:
            for path in sorted(each.glob(pattern)):
                yield Place(program.name, path, is_project=True, switches=switches)
        for path in of_user:
            yield Place(program.name, path, is_project=True, inside=each)


def _folders(folder: Path, *, upwards: bool) -> list[Path]:
    """Return the folder and, with `upwards`, those above it up to the root of its repository, the nearest first."""
    above = [folder, *folder.parents]
    root = next((number for number, each in enumerate(above) if (each / ".git").exists()), 0)
    return above[: root + 1] if upwards else [folder]


def _files(patterns: Sequence[str], bases: Mapping[str, Path]) -> Iterator[Path]:
    for pattern in patterns:
        base, _slash, rest = pattern.partition("/")
        if base in bases:
            yield from sorted(bases[base].glob(rest)) if "*" in rest else [bases[base] / rest]


def _bases(home: Path, environ: Mapping[str, str], platform: str) -> dict[str, Path]:
    variables = ("CLINE_MCP_SETTINGS_PATH", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_CONFIG")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "~": home,
        "{config}": config,
        "{applications}": _applications(home, environ, platform, config),
        **{f"${name}": Path(environ[name]) for name in variables if environ.get(name)},
    }


def _applications(home: Path, environ: Mapping[str, str], platform: str, config: Path) -> Path:
    """Return the folder of the settings of applications, as Electron has it (`app.getPath("appData")`)."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return config
