"""The history is searched by arguments, answers and results as well, as long as these are stored."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

_LONGEST = 4000
_BATCH = 500
_VALUES = {"calls": ("arguments", "result"), "requests": ("content",)}


def upgrade() -> None:
    """Add the columns, and fill them from the values that are stored and no secrets."""
    for table, columns in _VALUES.items():
        op.add_column(table, sa.Column("values_text", sa.Text, nullable=False, server_default=""))
        _fill(table, columns)


def _fill(table: str, columns: tuple[str, ...]) -> None:
    db = op.get_bind()
    # The names are those above.
    read = sa.text(f"SELECT id, {', '.join(columns)} FROM {table} WHERE id > :after ORDER BY id LIMIT {_BATCH}")  # noqa: S608
    write = sa.text(f"UPDATE {table} SET values_text = :words WHERE id = :id")  # noqa: S608
    after = ""
    while rows := db.execute(read, {"after": after}).all():
        after = rows[-1].id
        words = {row.id: _words_of(row) for row in rows}
        texts = [{"id": id_, "words": _stored(text)} for id_, text in words.items() if text.strip()]
        if texts:
            db.execute(write, texts)


def _words_of(row: Any) -> str:
    values = [_read(value) for value in row[1:]]
    return "\n".join([_words(values[0]), *(_words(_texts(value)) for value in values[1:])])


def _texts(result: Any) -> Any:
    """Return the texts, names and structured content of a result."""
    if not isinstance(result, dict):
        return None
    blocks = [block for key in ("content", "messages", "contents") for block in _dicts(result.get(key))]
    inner = [each for block in blocks for each in (_dicts(block.get("content")) or [block])]
    whole = [each for block in inner for each in (_dicts(block.get("resource")) or [block])]
    names = ("title", "name", "uri", "description", "text")
    return [
        result.get("description"),
        [[each.get(name) for name in names] for each in whole],
        result.get("structuredContent"),
    ]


def _dicts(value: Any) -> list[Any]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def _read(given: Any) -> Any:
    return json.loads(given) if isinstance(given, str) else given


def _stored(text: str) -> str:
    return text.casefold().replace("\0", " ").encode("utf-8", "replace").decode()


def _words(value: Any) -> str:
    """Return the names and values in `value`, in the order in which they are read."""
    found: list[str] = []
    length = 0
    left = [value]
    while left and length < _LONGEST:
        each = left.pop()
        if isinstance(each, dict):
            for name, inner in reversed(each.items()):
                left += [inner, name]
        elif isinstance(each, list):
            left += reversed(each)
        elif each is not None and not isinstance(each, bool):
            found.append(str(each)[:_LONGEST])
            length += len(found[-1]) + 1
    return " ".join(found)
