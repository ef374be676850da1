"""Needs of the goals of `make` from the system: whether they are here, and the packages that bring them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

from scripts.browser import find_chromium

MANAGERS = {
    "apt-get": "apt-get install -y --no-install-recommends",
    "dnf": "dnf install -y",
    "apk": "apk add",
    "pacman": "pacman -S --noconfirm",
    "brew": "brew install",
}
"""How each package manager installs. Only apt-get is run; the commands of the others are for people."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Need:
    """Something of the system: its name in a sentence, whether it is here, and its packages by package manager."""

    name: str
    is_here: Callable[[], bool]
    packages: dict[str, str] = field(default_factory=dict)
    others: str = ""
    """Packages where the package manager is none of these."""

    def packages_of(self, manager: str) -> str:
        """Return the names of the packages, separated by spaces."""
        return self.packages.get(manager, self.others)


def has(*programs: str) -> Callable[[], bool]:
    """Return a look for programs; those of administrators are not in the PATH of every user."""
    return lambda: all(shutil.which(program, path=_path()) for program in programs)


def _path() -> str:
    return os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def has_chinese_font() -> bool:
    """Return whether pages with Chinese characters show them; without fontconfig, as on macOS, this is not known."""
    if sys.platform == "darwin":
        return True
    if not shutil.which("fc-list"):
        return False
    found = subprocess.run(["fc-list", ":lang=zh-cn", "family"], capture_output=True, check=False)
    # DejaVu names the language and has few of its characters.
    return any(line and b"DejaVu" not in line for line in found.stdout.splitlines())


VENV = Need(
    name="Python's module ensurepip",
    is_here=lambda: find_spec("ensurepip") is not None,
    packages={"apt-get": f"python3.{sys.version_info.minor}-venv"},
    others="python3",
)
CHROMIUM = Need(
    name="Chromium",
    is_here=lambda: find_chromium() is not None,
    packages={"brew": "google-chrome"},
    others="chromium",
)
NODE = Need(name="Node.js with npm", is_here=has("node", "npm"), packages={"brew": "node"}, others="nodejs npm")
FONT = Need(
    name="a font with Chinese characters",
    is_here=has_chinese_font,
    packages={
        "apt-get": "fontconfig fonts-wqy-microhei",
        "dnf": "fontconfig google-noto-sans-cjk-fonts",
        "apk": "fontconfig font-noto-cjk",
    },
    others="fontconfig noto-fonts-cjk",
)
PROXIES = Need(
    name="nginx and Caddy",
    # From a system with apt-get they are unpacked into build/, and not installed.
    is_here=lambda: has("nginx", "caddy")() or has("apt-get", "dpkg-deb")(),
    others="nginx caddy",
)
FIREFOX = Need(name="Firefox", is_here=has("firefox-esr"), packages={"apt-get": "firefox-esr"}, others="firefox")
WEBKIT = Need(
    name="WebKit's driver with a virtual screen",
    is_here=has("WebKitWebDriver", "xvfb-run", "xauth"),
    packages={"apt-get": "webkit2gtk-driver xvfb xauth"},
    others="webkitgtk",
)
SHELL = Need(
    name="Chromium's headless shell",
    is_here=lambda: bool(os.environ.get("CHROMIUM")) or has("chromium-headless-shell")(),
    packages={"apt-get": "chromium-headless-shell"},
)
"""Page tests take half the time in it. Not every system has it, so it is optional."""

NEEDS = {
    "test": (CHROMIUM, FONT),
    "test-all": (CHROMIUM, NODE, FONT, PROXIES),
    "slow": (CHROMIUM, NODE, FONT, PROXIES),
    "quick": (CHROMIUM, FONT),
    "servers": (NODE,),
    "conformance": (NODE,),
    "screenshots": (CHROMIUM, FONT),
    "bench": (CHROMIUM, NODE, FONT),
    "drill": (NODE, PROXIES),
    "browsers": (FIREFOX, WEBKIT),
}
"""Needs of each goal beside Python."""


def missing(goals: Iterable[str]) -> list[Need]:
    """Return what these goals need and the system does not have, each once."""
    wanted = dict.fromkeys([VENV, *(need for goal in goals for need in NEEDS.get(goal, ()))])
    return [need for need in wanted if not need.is_here()]


def provide(needs: Sequence[Need], command: str) -> None:
    """Install `needs` with apt-get as root or through sudo, and say so first; SystemExit with a sentence if not."""
    names = " and ".join(filter(None, (", ".join(need.name for need in needs[:-1]), needs[-1].name)))
    sentence = f"{command} needs {names}."
    install = _install(needs)
    if not install:
        sys.exit(sentence)
    ours = _as_root()
    if not install.startswith("apt-get") or ours is None:
        sys.exit(f"{sentence} Run as root: {install}{_elsewhere(needs)}")
    sys.stdout.write(f"{sentence} Installing it from the system's packages: {' '.join([*ours, install])}\n")
    sys.stdout.flush()
    if not _ran([*ours, "apt-get", "update", "-q"]) or not _ran([*ours, *install.split()]):
        sys.exit(f"It could not be installed. Run as root: {install}{_elsewhere(needs)}")


def provide_shell() -> None:
    """Install Chromium's headless shell where no password is needed; without it page tests are slower."""
    if SHELL.is_here() or os.geteuid() or not has("apt-cache", "apt-get")():
        return
    package = SHELL.packages_of("apt-get")
    if subprocess.run(["apt-cache", "show", package], capture_output=True, check=False).returncode == 0:
        sys.stdout.write(f"Page tests take half the time in {SHELL.name}. Installing it: apt-get install {package}\n")
        sys.stdout.flush()
        _ran(["apt-get", "install", "-q", "-y", "--no-install-recommends", package])


def _install(needs: Sequence[Need]) -> str:
    manager = next(filter(shutil.which, MANAGERS), None)
    packages = " ".join(need.packages_of(manager or "") for need in needs)
    return f"{MANAGERS[manager]} {packages}" if manager else ""


def _as_root() -> list[str] | None:
    """Return what begins a command that runs as root; None if this user cannot."""
    if os.geteuid() == 0:
        return []
    return ["sudo"] if shutil.which("sudo") else None


def _elsewhere(needs: Sequence[Need]) -> str:
    return ". A browser that is elsewhere is named by CHROMIUM=/path/to/chrome" if CHROMIUM in needs else ""


def _ran(command: Sequence[str]) -> bool:
    # Packages ask nothing; sudo keeps this variable only where its settings allow it.
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment).returncode == 0
