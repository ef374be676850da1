"""Inner parts of libraries: a library that has changed them ends the start here, and not a session later.

A module that uses such parts has `WRITTEN_FOR`, the versions of the libraries for which that was written, and
`RELIED_ON`, the places to look at with another version; `tests/test_library_parts.py` compares the versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature, unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any


def expect(part: Callable[..., Any], parameters: str, *names: str) -> None:
    """Check that a function has these parameters, and uses these names. Raises ImportError."""
    name = f"{part.__module__}.{part.__qualname__}"
    _check_parameters(name, part, parameters)
    used = {each for code in _within(part.__code__) for each in code.co_names}
    if missing := [each for each in names if each not in used]:
        raise ImportError(f"{name}: it should use {', '.join(missing)}, and does not")


def replace(module: ModuleType, name: str, new: Any, *, users: int, parameters: str | None = None) -> Any:
    """Replace a name that so many functions of a module use; return the old value. Raises ImportError."""
    old = getattr(module, name, None)
    found = sum(name in code.co_names for code in _codes(module))
    if old is None or found != users:
        raise ImportError(f"{module.__name__}.{name}: {users} functions should use it, and {found} do")
    if parameters is not None:
        _check_parameters(f"{module.__name__}.{name}", old, parameters)
    setattr(module, name, new)
    return old


def _check_parameters(name: str, part: Callable[..., Any], parameters: str) -> None:
    if (given := " ".join(signature(part).parameters)) != parameters:
        raise ImportError(f"{name}: its parameters should be {parameters}, and are {given}")


def _codes(module: ModuleType) -> Iterator[CodeType]:
    owners = [module, *(each for each in vars(module).values() if isinstance(each, type))]
    for each in [value for owner in owners for value in vars(owner).values()]:
        if isinstance(function := unwrap(each) if callable(each) else each, FunctionType):
            # What a module imports is not its own.
            yield from _within(function.__code__) if function.__module__ == module.__name__ else ()


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _within(each)
