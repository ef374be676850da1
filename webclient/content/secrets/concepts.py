"""Credentials that are described instead of named: "the digits from the SMS", `stripe_sk`, "Резервные коды".

A description has two parts: a carrier, which many things have (digits, a key, words), and a guard or a source, which
makes the carrier a credential. `concepts.toml` lists both for each language and explains its format.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from webclient.content.confusables import folded

_TABLE = files(__package__) / "concepts.toml"
_GAP = r"[ '’,(=:]+"
_TO_SOURCE = 6
"""Words between a carrier and its source, as in "the number that stands on the back of your card"."""

_ANY = re.compile("")
_HAN = re.compile("[一-鿿]")
_TO_MATTER = 2
_END = r"(?=\s*$|\s*[^\w\s])"


@dataclass(frozen=True, slots=True)
class Concepts:
    """The descriptions of one language, and the words around them that show another meaning."""

    described: re.Pattern[str]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    letters: re.Pattern[str]

    def positions(self, text: str) -> Iterator[int]:
        """Yield where in `text`, as `disguises.readings` gives it, a credential is described."""
        for found in self.described.finditer(text) if self.letters.search(text) else ():
            start = found.start()
            if not self.behind.match(text, found.end()) and not self.before.search(text[max(0, start - 60) : start]):
                yield start


@cache
def languages() -> tuple[Concepts, ...]:
    """Return the concepts of each language."""
    return tuple(_together(each) if each["head"] == "joined" else _apart(each) for each in _table().values())


@cache
def asking() -> re.Pattern[str]:
    """Return a pattern for words that ask for input, beyond those of `words`."""
    together = _any(word for each in _table().values() if each["head"] == "joined" for word in each["asks"])
    apart = _any(word for each in _table().values() if each["head"] != "joined" for word in each["asks"])
    return re.compile(rf"(?<!\w)(?:{apart})(?!\w)|{together}")


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(_TABLE.read_text("utf-8"))


def _apart(language: Mapping[str, Any]) -> Concepts:
    """Read a language that puts spaces between words."""
    plain, matters = _any(language["plain"]), _any(language["matters"])
    # Of every language, as "SMS" and "token" are words of all, and names in code are in English order.
    gives, behind = _any(_all("gives")), _any(_all("matters", head="last"))
    between = rf"(?:{_GAP}\w+){{0,{_TO_MATTER}}}{_GAP}$"
    return Concepts(
        described=re.compile("|".join(each for concept in language["concepts"] for each in _forms(concept, language))),
        before=re.compile(rf"(?<!\w)(?:(?:{matters}){between}|(?:{plain}){_GAP}$|(?:{gives})(?!\w))"),
        behind=re.compile(rf"{_GAP}(?:{behind})(?!\w)"),
        letters=_ANY,
    )


def _all(key: str, head: str = "") -> list[str]:
    return [word for each in _table().values() if head in ("", each["head"]) for word in each[key]]


def _forms(concept: Mapping[str, Any], language: Mapping[str, Any]) -> Iterator[str]:
    last, both = language["head"] == "last", language["head"] == "both"
    carriers, within = _any(concept.get("carriers", ())), concept.get("within", 0)
    if "alone" in concept:
        after = _any(language.get("after", ()))
        closed = rf"(?:{_END}|(?={_GAP}(?:{after})(?!\w)))" if last else ""
        yield rf"(?<!\w)(?:{_any(concept['alone'])})(?!\w){closed}"
    carrier = rf"(?<!\w)(?:{carriers})(?!\w)(?!{_GAP}(?:{_any(language['plain'])})(?!\w))"
    if "sources" in concept:
        yield rf"{carrier}(?:{_GAP}\w+){{0,{_TO_SOURCE}}}?{_GAP}(?:{_any(concept['sources'])})(?!\w)"
    if "guards" not in concept:
        return
    guards = _any(concept["guards"])
    if concept.get("compound"):
        yield rf"(?<!\w)(?:{guards})\w{{0,2}}[ ]?(?:{carriers})(?!\w)"
    if last or both:
        yield rf"(?<!\w)(?:{guards})(?:{_GAP}\w+){{0,{within}}}?{_GAP}(?:{carriers})(?!\w)"
    if not last:
        yield rf"{carrier}(?:{_GAP}\w+){{0,{within}}}?{_GAP}(?:{guards})(?!\w)"


def _together(language: Mapping[str, Any]) -> Concepts:
    """Read a language that writes words together."""
    forms = [rf"(?:{_any(each['alone'])})" for each in language["concepts"] if "alone" in each]
    forms += [
        rf"(?:{_any(each['guards'])}){each['gap']} ?(?:{_any(each['carriers'])})"
        for each in language["concepts"]
        if "guards" in each
    ]
    plain, matters, gives = (_any(language[key]) for key in ("plain", "matters", "gives"))
    return Concepts(
        described=re.compile(rf"(?<![a-z0-9])(?:{'|'.join(forms)})(?![a-z0-9])"),
        before=re.compile(rf"(?:{plain})$|{gives}"),
        behind=re.compile(rf"[的之]?(?:{matters})"),
        letters=_HAN,
    )


def _any(patterns: Any) -> str:
    return "|".join(dict.fromkeys(map(folded, patterns)))
