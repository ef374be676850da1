"""The changes of the SDK fit its version, and say so if a part has moved."""

from __future__ import annotations

from importlib.metadata import version
from types import ModuleType

import pytest

from webclient.protocol.transports import sdk_patches


def test_the_patches_were_written_for_this_sdk() -> None:
    """With a new version, look at each place below, then change `WRITTEN_FOR`."""
    places = ["transports/sdk_patches.py: everything", *sdk_patches.RELIED_ON]
    installed = ".".join(version("mcp").split(".")[:2])
    assert installed == sdk_patches.WRITTEN_FOR, "Look at:\n" + "\n".join(places)


def sdk(source: str) -> ModuleType:
    """Return a module like one of the SDK."""
    module = ModuleType("sdk")
    exec(source, module.__dict__)  # noqa: S102  (our own text)
    module.__dict__.update({"__name__": "sdk"})
    return module


SOURCE = """
__name__ = "sdk"
LIMIT = 1

def part(line):
    return LIMIT

def user():
    def inner():
        return part(1)
    return inner
"""


def test_a_part_is_replaced_for_its_users() -> None:
    module = sdk(SOURCE)
    before = sdk_patches._replace(module, "part", lambda line: line + 1, users=1, parameters="line")
    assert (before(1), module.user()()) == (1, 2)


@pytest.mark.parametrize(
    ("name", "users", "parameters"),
    [("gone", 1, None), ("part", 2, None), ("LIMIT", 0, None), ("part", 1, "line size")],
    ids=["gone", "fewer users", "more users", "other parameters"],
)
def test_a_part_that_has_changed_ends_the_import(name: str, users: int, parameters: str | None) -> None:
    module = sdk(SOURCE)
    with pytest.raises(ImportError, match=f"sdk.{name}"):
        sdk_patches._replace(module, name, None, users=users, parameters=parameters)
    assert module.LIMIT == 1
