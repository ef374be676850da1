"""The bytes of rows: how much a page of a list reads is bounded by them, and not by the number of entries alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from webclient.store.database.tables import requests

whole_size = (requests.c.size + requests.c.other_size).label("size")
"""About the bytes of a request that is read whole."""

PAGE_BYTES = 1_000_000
"""About the most bytes of JSON that one page of a list has; a single entry may have more."""


def about_size(value: Any) -> int:
    """Return about how many bytes a value takes as JSON, without writing it: a text may have megabytes."""
    size = 0
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            size += 2 + len(each) * (1 if each.isascii() else 3)
        elif isinstance(each, dict):
            left += each.keys()
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each
        # Its number, or its brackets, and the comma.
        size += 4
    return size


def fitting(sizes: Iterable[int], most: int = PAGE_BYTES) -> int:
    """Return how many of the first entries fit into `most` bytes: at least one, if there is one."""
    count = total = 0
    for size in sizes:
        total += size
        if count and total > most:
            break
        count += 1
    return count
