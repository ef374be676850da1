"""Names of time zones from outside: those of browsers are known on every system, and no other text is an error."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

from tests.tables import each_row
from webclient.domain.time_zones import read_zone

WINTER = datetime(2026, 12, 24, 12, tzinfo=UTC)

OFFSETS = {
    "UTC": "+0000",
    "Europe/Berlin": "+0100",
    # Chromium's names for Asia/Kolkata, Europe/Kyiv and others: Debian 13 has them in a package of their own.
    "Asia/Calcutta": "+0530",
    "Asia/Katmandu": "+0545",
    "Asia/Rangoon": "+0630",
    "Asia/Saigon": "+0700",
    "Europe/Kiev": "+0200",
    "America/Buenos_Aires": "-0300",
    "America/Indianapolis": "-0500",
}

CODE = """
from datetime import datetime, UTC
from zoneinfo import TZPATH
from webclient.domain.time_zones import read_zone
assert TZPATH == (), TZPATH
for name in {names}:
    zone = read_zone(name)
    print(zone and datetime(2026, 12, 24, 12, tzinfo=UTC).astimezone(zone).strftime("%z"))
"""

WRONG = [
    "",
    "Foo/Bar",
    "\0",
    "CET\0",
    "Asia",
    "Asia/",
    "Asia/Kolkata/x",
    "America",
    ".",
    "..",
    "../",
    "../Europe/Berlin",
    "Europe/../Europe/Berlin",
    "../../etc/passwd",
    "/etc/passwd",
    "/usr/share/zoneinfo/Europe/Berlin",
    "C:\\Windows",
    "tzdata.zi",
    "zone.tab",
    "__init__.py",
    "Europe/Berlin ",
    "Europe/Berl\udcffin",
    "Європа/Київ",
    "+05:30",
    "x" * 10_000,
    "Asia/" * 2_000 + "Kolkata",
]


@each_row("name", WRONG)
def test_text_that_names_no_zone_is_none(name: str) -> None:
    assert read_zone(name) is None


@each_row("name", OFFSETS)
def test_names_of_browsers_are_zones(name: str) -> None:
    zone = read_zone(name)
    assert zone
    assert f"{WINTER.astimezone(zone):%z}" == OFFSETS[name]


def test_zones_are_known_on_a_system_without_any() -> None:
    names = [*OFFSETS, *(name for name in WRONG if "\udcff" not in name)]
    command = [sys.executable, "-c", CODE.format(names=ascii(names))]
    done = subprocess.run(command, env={"PYTHONTZPATH": ""}, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    assert done.stdout.split() == [*OFFSETS.values(), *["None"] * (len(names) - len(OFFSETS))]
