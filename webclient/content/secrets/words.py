"""The names of credentials in many languages, from `words.toml`, which explains its format."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from webclient.content.confusables import folded

_TABLE = files(__package__) / "words.toml"
LOOK_BACK = 120
"""Characters around a name that are searched for words that show another meaning."""

_ANY = re.compile("")
_NEVER = r"(?!)"
_END = r"(?=\s*$|\s*[^\w\s])"


@dataclass(frozen=True, slots=True)
class Words:
    """Languages that are matched together: the names, and the words around them that show another meaning."""

    named: re.Pattern[str]
    linked: re.Pattern[str]
    unlike: re.Pattern[str]
    done: re.Pattern[str]
    letters: re.Pattern[str]

    def name(self, text: str) -> bool:
        """Return whether `text`, as `disguises.readings` gives it, names a credential."""
        return bool(self.letters.search(text)) and any(
            self._counts(text[max(0, found.start() - LOOK_BACK) : found.start()], text[found.end() :][:LOOK_BACK])
            for found in self.named.finditer(text)
        )

    def _counts(self, before: str, behind: str) -> bool:
        return not (self.linked.search(before) or self.unlike.search(before) or self.done.match(behind))


@cache
def languages() -> tuple[Words, ...]:
    """Return the words of all languages, grouped by the way they are matched."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    apart = {name: words for name, words in table.items() if not words.get("joined")}
    first = [words for words in apart.values() if words["head"] == "first"]
    last = [words for words in apart.values() if words["head"] == "last"]
    together = [words for words in table.values() if words.get("joined")]
    return (_first(first), _last(last), *(_joined(words) for words in together))


@cache
def asking() -> re.Pattern[str]:
    """Return a pattern for words that ask for input."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    apart = _all(table.values(), "asks", joined=False)
    together = _all(table.values(), "asks", joined=True)
    return re.compile(rf"(?<!\w)(?:{_any(apart)})(?!\w)|{_any(together)}")


@cache
def others() -> re.Pattern[str]:
    """Return a pattern for words before a name that show that it is not requested."""
    table = tomllib.loads(_TABLE.read_text("utf-8")).values()
    linked = rf"(?<!\w)(?:{_any(_all(table, 'links', joined=False))})[ '’]$"
    return re.compile(rf"{linked}|(?<!\w)(?:{_any(_all(table, 'other', joined=False))})(?!\w)")


def _first(table: list[dict[str, Any]]) -> Words:
    return Words(
        named=re.compile(rf"(?<!\w)(?:{_any(_all(table, 'names'))})(?!\w)"),
        linked=re.compile(rf"(?<!\w)(?:{_any(_all(table, 'links'))})[ '’]$"),
        unlike=re.compile(rf"(?<!\w)(?:{_any(_all(table, 'other'))})(?!\w)"),
        done=re.compile(rf" (?:{_any(_all(table, 'done')) or _NEVER})(?!\w)"),
        letters=_ANY,
    )


def _last(table: list[dict[str, Any]]) -> Words:
    after = rf"(?:{_END}|(?= (?:{_any(_all(table, 'after'))})(?!\w))|(?= \d))"
    return Words(
        named=re.compile(rf"(?<!\w)(?:{_any(_all(table, 'names'))})(?!\w){after}"),
        linked=re.compile(_NEVER),
        unlike=re.compile(rf"(?<!\w)(?:{_any(_all(table, 'other'))})(?!\w)"),
        done=re.compile(rf" (?:{_any(_all(table, 'done')) or _NEVER})(?!\w)"),
        letters=_ANY,
    )


def _joined(words: dict[str, Any]) -> Words:
    return Words(
        named=re.compile(rf"(?<![a-z0-9])(?:{_any(_all([words], 'names'))})(?![a-z0-9]){folded(words['after'])}"),
        linked=re.compile(_NEVER),
        unlike=re.compile(_any(_all([words], "other"))),
        done=re.compile(_any(_all([words], "done")) or _NEVER),
        letters=re.compile("[" + "".join(sorted(set(filter(str.isalpha, _foreign(words))))) + "]"),
    )


def _foreign(words: dict[str, Any]) -> str:
    return "".join(char for char in "".join(_all([words], "names")) if not char.isascii())


def _all(table: Iterable[dict[str, Any]], key: str, joined: bool | None = None) -> list[str]:
    chosen = (words for words in table if joined is None or bool(words.get("joined")) is joined)
    return list(dict.fromkeys(folded(each) for words in chosen for each in words.get(key, ())))


def _any(patterns: list[str]) -> str:
    return "|".join(patterns)
