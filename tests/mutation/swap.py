"""Makes a loaded module behave as if its file had another text, in a process that ends afterwards."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from inspect import CO_NEWLOCALS
from itertools import zip_longest
from types import CodeType, FunctionType, ModuleType
from typing import Any


class NotSwappedError(Exception):
    """The change is in a place that is used up when a module is loaded, such as the body of a class."""


def swap(module: ModuleType, original: str, changed: str) -> None:
    """Give the functions and names of a module what they have in the changed text. Raises NotSwappedError."""
    before, after = (compile(text, str(module.__file__), "exec", dont_inherit=True) for text in (original, changed))
    old, new = list(_functions(before)), list(_functions(after))
    pairs = [pair for pair in zip(old, new, strict=True) if _essence(pair[0]) != _essence(pair[1])]
    functions = [
        each for each in gc.get_objects() if isinstance(each, FunctionType) and each.__module__ == module.__name__
    ]
    for was, becomes in pairs:
        # Also the ones that decorators have wrapped, and lambdas.
        found = [each for each in functions if each.__code__ == was]
        if not found:
            raise NotSwappedError
        for function in found:
            function.__code__ = becomes
    if not pairs:
        if any(isinstance(each, ast.ClassDef | _FUNCTION) for each in _differing(original, changed)):
            raise NotSwappedError
        _swap_names(module, after)


_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def _differing(original: str, changed: str) -> Iterator[ast.stmt]:
    for one, other in zip_longest(ast.parse(original).body, ast.parse(changed).body):
        if one is None or other is None or ast.dump(one) != ast.dump(other):
            yield one or other


def _swap_names(module: ModuleType, after: CodeType) -> None:
    """Run the changed text beside the module, and take over the values that its own names get.

    Its classes and functions stay as they are, because others have imported them.
    """
    fresh = ModuleType(module.__name__)
    fresh.__file__ = module.__file__
    fresh.__package__ = module.__package__
    exec(after, fresh.__dict__)  # noqa: S102
    own = vars(module)
    changed = {
        name: value for name, value in vars(fresh).items() if _is_own(name, value) and value is not own.get(name)
    }
    for other in [each for each in sys.modules.values() if isinstance(each, ModuleType)]:
        for name, value in changed.items():
            if name in own and vars(other).get(name) is own[name] and other is not module:
                setattr(other, name, value)
    own.update(changed)


def _is_own(name: str, value: Any) -> bool:
    return not name.startswith("__") and not isinstance(value, type | FunctionType | ModuleType)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the outermost functions of a module and of the bodies of its classes."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & CO_NEWLOCALS:  # which bodies of classes do not have
                yield each
            else:
                yield from _functions(each)


def _essence(code: CodeType) -> tuple[object, ...]:
    constants = tuple(_essence(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
