"""Installs Python packages: with uv, which takes a quarter of pip's time, and with pip where uv cannot.

    python -m scripts.packages NAME PYTHON ARGUMENT...

NAME is for the line that says what is being done, PYTHON the interpreter to install for, and the arguments are those of
`pip install`. uv does not read pip's configuration, so indexes, certificates and constraints are passed on to
it; a configuration that it could not follow leaves the work to pip.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.util import find_spec

PASSED_ON = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
"""Options of pip with the variables by which uv knows them."""

OF_PIP_ALONE = {
    *("timeout", "default-timeout", "retries", "cache-dir", "no-cache-dir", "disable-pip-version-check"),
    *("no-input", "no-color", "progress-bar", "quiet", "verbose", "log", "root-user-action", "require-virtualenv"),
    *("break-system-packages", "no-warn-script-location", "no-python-version-warning", "prefer-binary", "user"),
}
"""Options of pip that change nothing about which packages are installed from where."""


def main(name: str, python: str, arguments: list[str]) -> None:
    """Install packages, and print a line that says which. SystemExit if neither uv nor pip could."""
    configuration = pip_configuration() if find_spec("uv") else {}
    variables = uv_variables(configuration) if find_spec("uv") else None
    if variables is not None:
        said(f"Installing {name}, with uv")
        if not (failure := installed_by_uv(python, [*arguments, *constraints(configuration)], variables)):
            return
        said(f"uv could not install them ({failure})")
    said(f"Installing {name}, with pip; this may take a minute")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-qq", "--disable-pip-version-check")
    sys.exit(subprocess.run([*pip, *arguments], check=False).returncode)


def installed_by_uv(python: str, arguments: list[str], variables: dict[str, str]) -> str:
    """Install with uv, and return the first line of its failure, or an empty text."""
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, *arguments]
    environment = {**variables, **os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    lines = done.stderr.decode(errors="replace").split("\n")
    return "" if done.returncode == 0 else next(filter(None, map(str.strip, lines)), "it failed")


def pip_configuration() -> dict[str, str]:
    """Return the options that files and variables give to pip, by name; the later of two applies."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, check=False).stdout.decode(errors="replace")
    pairs = (line.partition("=") for line in listed.splitlines())
    # A name is `global.cert`, `install.cert` or `:env:.cert`.
    return {name.rpartition(".")[2]: str(ast.literal_eval(value)) for name, _, value in pairs if value}


def uv_variables(configuration: dict[str, str]) -> dict[str, str] | None:
    """Return pip's configuration as variables of uv, or None if uv could not follow it."""
    if configuration.keys() - PASSED_ON.keys() - OF_PIP_ALONE - {"constraint"}:
        return None
    found = {PASSED_ON[name]: " ".join(value.split()) for name, value in configuration.items() if name in PASSED_ON}
    if "UV_FIND_LINKS" in found:
        found["UV_FIND_LINKS"] = found["UV_FIND_LINKS"].replace(" ", ",")
    if "UV_INDEX" in found:
        # As pip does: the best version of all indexes, and not of the first one alone.
        found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return found


def constraints(configuration: dict[str, str]) -> list[str]:
    """Return arguments for the constraints files that pip's configuration names."""
    return [word for file in configuration.get("constraint", "").split() for word in ("--constraint", file)]


def said(line: str) -> None:
    """Print a line before the work that it announces."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
