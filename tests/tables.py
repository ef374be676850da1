"""One test for all rows of a table, where each row of its own would cost more than what it tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

_Parameters = type(pytest.param())


def each_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run a test for each row, as `pytest.mark.parametrize` does, but as one test.

    It takes no fixtures, and fails with the errors of all rows that fail, of which each names its row.
    """
    table = [_values(row, single=isinstance(names, str)) for row in rows]

    def decorated(test: Callable[..., None]) -> Callable[[], None]:
        def every_row() -> None:
            errors = [error for values in table if (error := _error(test, values))]
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(table)} rows fail", errors)

        assert table, "a test of no rows tests nothing"
        every_row.__name__, every_row.__qualname__ = test.__name__, test.__qualname__
        every_row.__module__, every_row.__doc__ = test.__module__, test.__doc__
        return every_row

    def _error(test: Callable[..., None], values: tuple[Any, ...]) -> BaseException | None:
        try:
            test(**dict(zip([names] if isinstance(names, str) else names, values, strict=True)))
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  (raised again, with those of other rows)
            error.add_note(f"in the row {values!r:.300}")
            return error
        return None

    return decorated


def _values(row: Any, *, single: bool) -> tuple[Any, ...]:
    if isinstance(row, _Parameters):
        return tuple(row.values)
    return (row,) if single else tuple(row)
