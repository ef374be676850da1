"""YAML as people write config files: mappings, lists and single values, read at a cost linear in its length.

Values are built from the events of the parser, not by its constructor: a few aliases can stand for billions of values,
a tag can name a class, and YAML 1.1 makes a number of `8080:22`. So aliases and tags are refused, and each value but
`true`, `false` and `null` stays the text that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import yaml

MOST_EVENTS = 100_000
"""Values, and beginnings and ends of mappings and lists; a config file has some hundreds."""

DEEPEST = 64
"""Mappings and lists inside of each other."""

_PLAIN = {"true": True, "false": False, "null": None, "~": None, "": None}
_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
# The C parser is many times faster; a platform without a wheel has the other.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """The text is not YAML that is read here; `line` and `column` count from 1, the message says why."""

    def __init__(self, why: str, mark: yaml.Mark | None) -> None:
        super().__init__(why)
        self.line = mark.line + 1 if mark else 1
        self.column = mark.column + 1 if mark else 1


def _plain(text: str) -> Any:
    return _PLAIN.get(text.lower(), text)


def parse(text: str, plain: Callable[[str], Any] = _plain) -> Any:
    """Return the value that the first document in `text` holds; `plain` reads what has no quotes. Raises YamlError."""
    try:
        return _build(yaml.parse(text, Loader=_LOADER), plain)
    except yaml.MarkedYAMLError as error:
        raise YamlError(error.problem or "unknown syntax", error.problem_mark) from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split())[:200], None) from None


class _Open:
    """A mapping or a list that is being read; `key` is that of the next value of a mapping."""

    def __init__(self, *, is_mapping: bool) -> None:
        self.value: Any = {} if is_mapping else []
        self._key: str | None = None

    def add(self, value: Any, event: yaml.Event) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self._key is not None:
            self.value[self._key] = value
            self._key = None
        elif isinstance(event, yaml.ScalarEvent):
            # As it is written: `true` and `null` are names as any other.
            self._key = event.value
        else:
            raise YamlError("a key must be a text", event.start_mark)


def _build(events: Iterable[yaml.Event], plain: Callable[[str], Any]) -> Any:
    opened = [_Open(is_mapping=False)]
    for number, event in enumerate(events):
        _check(event, number, len(opened))
        if isinstance(event, _STARTS):
            opened.append(_Open(is_mapping=isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, _ENDS):
            ended = opened.pop().value
            opened[-1].add(ended, event)
        elif isinstance(event, yaml.ScalarEvent):
            opened[-1].add(_scalar(event, plain), event)
        elif isinstance(event, yaml.DocumentEndEvent):
            break
    return next(iter(opened[0].value), None)


def _check(event: yaml.Event, number: int, depth: int) -> None:
    if isinstance(event, yaml.AliasEvent):
        raise YamlError("aliases (*name) are not read here; write the value itself", event.start_mark)
    if getattr(event, "tag", None) not in (None, "!"):
        raise YamlError("tags (!name) are not read here", event.start_mark)
    if number > MOST_EVENTS:
        raise YamlError(f"it has more than {MOST_EVENTS} values", event.start_mark)
    if depth > DEEPEST:
        raise YamlError("it is nested too deeply", event.start_mark)


def _scalar(event: yaml.ScalarEvent, plain: Callable[[str], Any]) -> Any:
    return plain(event.value) if event.style in (None, "") else event.value
