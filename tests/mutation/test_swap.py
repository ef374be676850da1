"""A change that is swapped in works in functions, also decorated ones, and in names of the module."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.swap import NotSwappedError, swap

TEXT = """
from functools import cache, wraps

LIMIT = 10
RULES = (LIMIT, 5)

def logged(function):
    @wraps(function)
    def wrapped(*given):
        return function(*given)
    return wrapped

class Door:
    height = 2
    @logged
    def fits(self, size):
        return size <= LIMIT and all(size > 0 for _ in RULES)

def first(default=1):
    return default
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    """A module whose class was imported elsewhere before the change."""
    path = tmp_path / "swapped.py"
    path.write_text(TEXT, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("swapped", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_change_in_a_decorated_method_is_swapped_in(module: ModuleType) -> None:
    door = module.Door()
    assert door.fits(10)
    swap(module, TEXT, TEXT.replace("size <= LIMIT", "size < LIMIT"))
    assert [door.fits(size) for size in (10, 9, 0)] == [False, True, False]


def test_a_change_that_removes_a_line_is_swapped_in(module: ModuleType) -> None:
    door = module.Door()
    swap(module, TEXT, TEXT.replace("5)\n\n", "5)\n").replace("size > 0", "size > 3"))
    assert [door.fits(size) for size in (3, 4)] == [False, True]


def test_a_changed_name_changes_others_made_of_it(module: ModuleType) -> None:
    door = module.Door()
    swap(module, TEXT, TEXT.replace("LIMIT = 10", "LIMIT = 11"))
    assert (module.LIMIT, module.RULES) == (11, (11, 5))
    assert door.fits(11)


@pytest.mark.parametrize(("line", "changed"), [("height = 2", "height = 3"), ("default=1", "default=2")])
def test_a_change_that_loading_has_used_up_is_not_tried(module: ModuleType, line: str, changed: str) -> None:
    with pytest.raises(NotSwappedError):
        swap(module, TEXT, TEXT.replace(line, changed))


def test_a_module_with_another_text_is_not_tried(module: ModuleType) -> None:
    # Its file was changed since it was loaded.
    other = TEXT.replace("size > 0", "size > 1")
    with pytest.raises(NotSwappedError):
        swap(module, other, other.replace("size <= LIMIT", "size < LIMIT"))
