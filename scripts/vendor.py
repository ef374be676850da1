"""Fetches the browser libraries that are kept here: pinned by version and sha256, with their licence and a record.

    python scripts/vendor.py                  npm packs the pinned versions
    python scripts/vendor.py some/package...  uses npm packages that are already unpacked there

static/vendor/ is shipped, tests/vendor/ is for tests alone. The vendored.json of each says what lies there; tests
compare the files with it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package of the npm registry. `files` maps a file of it to the pinned sha256, `folder` is where they go."""

    name: str
    version: str
    license: str
    license_file: str
    files: dict[str, str]
    folder: Path

    def record(self) -> dict[str, object]:
        """Return what the vendored files are, for their readers."""
        return {
            "package": self.name,
            "version": self.version,
            "license": self.license,
            "license_file": self.license_file,
            "source": f"https://www.npmjs.com/package/{self.name}/v/{self.version}",
            "sha256": {Path(source).name: pinned for source, pinned in self.files.items()},
        }


PACKAGES = (
    Package(
        name="htmx.org",
        version="4.0.1",
        license="0BSD",
        license_file="htmx.LICENSE",
        files={
            "dist/htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
        },
        folder=ROOT / "static" / "vendor",
    ),
    Package(
        name="axe-core",
        version="4.14.1",
        license="MPL-2.0",
        license_file="axe.LICENSE",
        files={"axe.min.js": "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"},
        folder=ROOT / "tests" / "vendor",
    ),
)


def main() -> None:
    """Write the pinned files, their licences and their records; a hash that differs ends it."""
    if len(sys.argv) > 1:
        for folder in map(Path, sys.argv[1:]):
            vendor(_package_in(folder), folder)
        return
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as temporary:
            vendor(package, unpack(package, Path(temporary)))


def unpack(package: Package, folder: Path) -> Path:
    """Return where npm's pack of `package` is unpacked, in `folder`."""
    pack = ["npm", "pack", f"{package.name}@{package.version}", "--pack-destination", str(folder)]
    subprocess.run(pack, check=True)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def vendor(package: Package, unpacked: Path) -> None:
    """Copy the files of the unpacked `package`, if their hashes are the pinned ones."""
    package.folder.mkdir(parents=True, exist_ok=True)
    for source, pinned in package.files.items():
        content = (unpacked / source).read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != pinned:
            sys.exit(f"{source} of {package.name} {package.version} has sha256 {found}, expected {pinned}")
        (package.folder / Path(source).name).write_bytes(content)
    (package.folder / package.license_file).write_bytes((unpacked / "LICENSE").read_bytes())
    (package.folder / "vendored.json").write_text(json.dumps(package.record(), indent=2) + "\n", "utf-8")


def _package_in(folder: Path) -> Package:
    name = json.loads((folder / "package.json").read_text("utf-8"))["name"]
    package = next((each for each in PACKAGES if each.name == name), None)
    return package or sys.exit(f"{name} in {folder} is none of {', '.join(each.name for each in PACKAGES)}")


if __name__ == "__main__":
    main()
