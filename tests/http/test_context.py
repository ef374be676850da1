"""The dependencies of routes run in the event loop: FastAPI would give all others a thread, for each request."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from tests.house import settings
from webclient.runtime.app import create_app


def functions(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    assert dependant.call
    yield dependant.call
    for each in dependant.dependencies:
        yield from functions(each)


def test_no_route_needs_a_thread(tmp_path: Path) -> None:
    routes = [context.route for context in iter_route_contexts(create_app(settings(tmp_path)).routes)]
    found = {each for route in routes if isinstance(route, APIRoute) for each in functions(route.dependant)}
    assert len(found) > 40
    in_loop = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    assert [each.__qualname__ for each in found if not any(is_of(each) for is_of in in_loop)] == []
