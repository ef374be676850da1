"""Sentences in templates are whole, so that they can be translated: none is joined from fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tables import each_row
from webclient.support.paths import TEMPLATES

OURS = sorted(path for path in TEMPLATES.rglob("*.html") if "demo" not in path.parts)

INLINE = re.compile(r"</?(a|b|bdi|br|code|em|strong|time)\b")
"""Elements inside a sentence; any other element begins or ends one."""

ALTERNATIVE = re.compile(r"{%[-+]?\s*(else|elif|block|endblock|set|endset|macro|endmacro)\b")
"""Statements after which another text begins; those of any other kind are passed over."""

LITERAL = re.compile(r'\b(?:_|ngettext)\(\s*"((?:[^"\\]|\\.)*)"(?:,\s*"((?:[^"\\]|\\.)*)")?')

ENDS = tuple('.?!:…”)"')
"""Characters that may end a text that is followed by more text."""

STARTS = tuple("(·“—")
"""Characters that may stand before a text that begins with a small letter."""


class Output(NamedTuple):
    """One `{{ ... }}` with translated texts, and what a reader sees right before and after it."""

    texts: Sequence[str]
    before: str
    after: str


def parts(source: str) -> list[str]:
    """Split a template into statements, outputs, tags and text."""
    source = re.sub(r"{#.*?#}", "", source, flags=re.DOTALL)
    # The value of an attribute is a text of its own.
    found = re.split(
        r'({{.*?}}|{%.*?%}|<(?:[^<>"]|"(?:{{.*?}}|{%.*?%}|[^"])*"|{{.*?}}|{%.*?%})*>)', source, flags=re.DOTALL
    )
    return [part for part in found if part.strip()]


def neighbour(parts: Sequence[str]) -> str:
    """Return the nearest text or output, "" when the sentence begins or ends before one."""
    link = False
    for part in parts:
        if part.startswith(("<a ", "</a>")):
            # The next link, or the next button that is one, is a text of its own.
            if link:
                return ""
            link = True
        if part.startswith("{%"):
            if ALTERNATIVE.match(part):
                return ""
        elif part.startswith("<"):
            if not INLINE.match(part):
                return ""
        else:
            return part.strip()
    return ""


def outputs(source: str) -> Iterator[Output]:
    """Yield each output of translated texts."""
    found = parts(source)
    for index, part in enumerate(found):
        # What is given to a macro stands where the macro says.
        if re.match(r"{{-?\s*\(?(_|ngettext)\(", part):
            texts = [text for pair in LITERAL.findall(part) for text in pair if text]
            if texts:
                yield Output(texts, neighbour(found[:index][::-1]), neighbour(found[index + 1 :]))


def joined(source: str) -> Iterator[str]:
    """Yield the texts that seem to be only a part of a sentence."""
    for texts, before, after in outputs(source):
        if after and not after.startswith(STARTS) and not all(text.endswith(ENDS) for text in texts):
            yield f"{texts} is followed by {after}"
        if before and not before.endswith(STARTS) and any(text[0].islower() for text in texts):
            yield f"{texts} is preceded by {before}"


@each_row(
    ("source", "count"),
    [
        ('<p>{{ _("It has not answered since") }} {{ ago(moment) }}.</p>', 1),
        ('<p>{{ _("Tool of") if a else _("Prompt of") }} <a href="/x">{{ label }}</a></p>', 1),
        ('<p>{{ moment }}, {{ _("after {time}").format(time=1) }}</p>', 1),
        ('<p>{{ state }}{% if via %}, {{ _("from {where}").format(where=via) }}{% endif %}</p>', 1),
        ('<p>{{ _("{n} new.") }} {{ _("{n} in all.") }}</p>', 0),
        ('<p>{% if a %}{{ _("one") }}{% else %}{{ _("two") }}{% endif %}</p>', 0),
        ('<dt>{{ _("Name") }}</dt><dd>{{ name }}</dd>', 0),
        ('<p aria-label="{{ _("Error") }}">{{ name }}</p>', 0),
        ('<p>{{ _("Not sent:") }} {{ names }}</p>', 0),
    ],
)
def test_joined_sentences_are_found(source: str, count: int) -> None:
    assert len(list(joined(source))) == count


@each_row("path", [pytest.param(path, id=path.relative_to(TEMPLATES).as_posix()) for path in OURS])
def test_no_sentence_is_joined_from_fragments(path: Path) -> None:
    assert list(joined(path.read_text("utf-8"))) == []


def test_numbers_choose_their_plural() -> None:
    # "round 2" and "Message 7" count nothing; a label and its number ("Selected: 2") are the same for any number.
    ordinal, label = "(?<!of )(?<!round )(?<!Message )(?<!message )(?<!Turn )(?<!Folder )(?<!call )", '(?![^"{]*: {n}")'
    wrong = re.compile(rf'(?<!n)_\("{label}[^"]*{ordinal}{{(?:n|count)}}[^"]*"')
    assert wrong.findall('_("{n} new"), _("Of: {n} calls"), _("New: {n}")') == ['_("{n} new"', '_("Of: {n} calls"']
    found = [f"{path.name}: {text}" for path in OURS for text in wrong.findall(path.read_text("utf-8"))]
    assert found == []
