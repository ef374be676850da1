"""Runs the tests that need only Python on the lowest and the newest version of it: `make pythons`.

`make test` proves the version of the environment, so that one is left out. A Python is looked for in the PATH and
among those of pyenv. The newest may also be unpacked from Debian's next release into build/: nothing is installed, and
only these tests see it. A version that this machine cannot get is named, and the next one is taken.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.packages import said

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build"
DEBIAN = BUILD / "debian"
LOWEST, NEWEST = 11, 14
"""The minor versions of Python 3 between which the program is promised to run."""

PACKAGES = (
    *("python3", "python3-venv", "libstdc++6", "tzdata"),
    *("make", "bash", "dash", "coreutils", "findutils", "grep", "sed", "passwd", "procps", "mount", "util-linux"),
)
"""All that these tests run, as the system's programs are out of sight."""

ENTER = 'mount --bind "$0" /usr && exec "$@"'
"""Puts the programs of Debian's next release in place of the system's; its settings and certificates stay."""


def main() -> None:
    """Run the tests on each version that can be had. SystemExit with 1 if one of them fails."""
    wanted = (range(LOWEST, here()), range(NEWEST, here(), -1))
    pythons = [python for minors in wanted if (python := first(minors))]
    if [command for minor, command in pythons if not passed(minor, command)]:
        sys.exit(1)


def here() -> int:
    """Return the minor version of the Python that `make test` runs with."""
    return sys.version_info.minor


def first(minors: Iterable[int]) -> tuple[int, Sequence[str]] | None:
    """Return the first version that can be had, and the command of its Python."""
    for minor in minors:
        if found := installed(minor) or (debian(minor) if minor == NEWEST else ()):
            return minor, found
        said(f"Python 3.{minor} cannot be had here.")
    return None


def installed(minor: int) -> Sequence[str]:
    """Return the Python of this version that is installed and can make an environment."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    named = shutil.which(f"python3.{minor}")
    for python in filter(None, (named, *map(str, sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python3"))))):
        if runs([python], minor):
            return [python]
    return ()


def debian(minor: int) -> Sequence[str]:
    """Return the Python of Debian's next release if it is of this version; it is unpacked once."""
    enter = [*("unshare", "--mount"), *(() if os.geteuid() == 0 else ("--map-root-user",))]
    python = [*enter, "sh", "-c", ENTER, str(DEBIAN / "usr"), f"/usr/bin/python3.{minor}"]
    if not runs(python, minor):
        said(f"Unpacking Python 3.{minor} from Debian's next release into {DEBIAN.relative_to(ROOT)}")
        unpack()
    return python if runs(python, minor) else ()


def unpack() -> None:
    """Unpack PACKAGES with their dependencies, by apt with its own settings."""
    shutil.rmtree(DEBIAN, ignore_errors=True)
    if not (mirror := _mirror()):
        return
    own = DEBIAN / "apt"
    for folder in ("lists", "archives", "etc"):
        (own / folder).mkdir(parents=True)
    (own / "status").touch()
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (own / "sources.list").write_text(f"deb [signed-by={keys}] {mirror} testing main\n", encoding="utf-8")
    options = {
        "Dir::State::Lists": own / "lists",
        "Dir::State::Status": own / "status",
        "Dir::Cache": own,
        "Dir::Etc::SourceList": own / "sources.list",
        "Dir::Etc::SourceParts": own / "etc",
        "Dir::Etc::PreferencesParts": own / "etc",
        "APT::Sandbox::User": "root",
        # A mirror that stands still for a while is good enough for tests; its signatures are checked.
        "Acquire::Check-Valid-Until": "false",
    }
    apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    download = [*apt, "install", "--download-only", "--no-install-recommends", "--yes", *PACKAGES]
    if _quiet([*apt, "update"]) and _quiet(download):
        for package in sorted((own / "archives").glob("*.deb")):
            _quiet(["dpkg-deb", "--extract", str(package), str(DEBIAN)])
    shutil.rmtree(own)


def _mirror() -> str:
    """Return the address from which this system gets Debian; an empty text if it is another system."""
    if not all(map(shutil.which, ("apt-get", "dpkg-deb", "unshare"))):
        return ""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return next((line for line in listed.stdout.splitlines() if re.search(r"/debian/?$", line)), "")


def runs(python: Sequence[str], minor: int) -> bool:
    """Return whether this Python runs, has this version, and can make an environment."""
    code = f"import ensurepip, sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return _quiet([*python, "-c", code])


def passed(minor: int, python: Sequence[str]) -> bool:
    """Run the tests on this Python, and return whether they passed."""
    said(f"Testing on Python 3.{minor}")
    *enter, program = python
    make = ["make", "--no-print-directory", "anywhere", f"PYTHON={program}", f"VENV=build/python-3.{minor}"]
    # A make that started this one has other goals and variables.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run([*enter, *make], check=False, cwd=ROOT, env=environment).returncode == 0


def _quiet(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    main()
