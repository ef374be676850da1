"""Every reason has one sentence, which is made in one place, when it is shown, in the language of the reader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import webclient
from scripts.reasons import DOCS, written
from tests.tables import each_row
from tests.toy_language import Loud
from webclient.domain import i18n
from webclient.domain.model import Param, Plural, Reason, ReasonCode
from webclient.domain.reasons import codes_saying, parameters, sentence, words_of
from webclient.web.http.filters import shown

HOUSE = Path(webclient.__file__).parent

NUMBERS = {"n", "most", "used", "wanted", "kilobytes", "duration", "seconds", "rounds", "bytes"}
"""Parameters that are numbers; all others are texts."""


def values(code: ReasonCode) -> dict[str, Param]:
    return {name: 7 if name in NUMBERS else f"<{name}>" for name in parameters(code)}


@each_row("code", list(ReasonCode))
def test_every_code_renders_with_its_parameters(code: ReasonCode) -> None:
    text = sentence(Reason(code, values(code)))
    assert text
    assert "{" not in text
    for name, value in values(code).items():
        assert (str(value) if name not in NUMBERS else "7") in text, name


@each_row("code", list(ReasonCode))
def test_every_sentence_is_whole(code: ReasonCode) -> None:
    pattern = code.sentence
    for text in (pattern,) if isinstance(pattern, str) else pattern[:2]:
        assert text[0] == "{" or not text[0].islower() or text.startswith("mcp-webclient")
        assert text.rstrip("”}")[-1:] in {".", "?", ":", "{", "“"} or text.endswith(("}", "”")), text


def test_no_two_codes_share_a_sentence() -> None:
    patterns = [code.sentence if isinstance(code.sentence, str) else code.sentence.one for code in ReasonCode]
    assert len(set(patterns)) == len(patterns)
    assert all(patterns)


def made() -> Iterator[tuple[str, ReasonCode, set[str] | None]]:
    """Yield each use of a code outside the tables: its file, code and the parameters of a reason made there."""
    for path in HOUSE.rglob("*.py"):
        if path == HOUSE / "domain" / "model" / "reason.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ReasonCode":
                yield path.name, ReasonCode[node.attr], None
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Reason", "Reason.of") and node.args:
                code = node.args[0]
                if (
                    ast.unparse(code).startswith("ReasonCode.")
                    and isinstance(code, ast.Attribute)
                    and len(node.args) == 1
                    and all(each.arg for each in node.keywords)
                ):
                    yield path.name, ReasonCode[code.attr], {str(each.arg) for each in node.keywords}


@pytest.mark.slow
def test_every_code_is_used() -> None:
    assert {code for _module, code, _given in made()} == set(ReasonCode)


@pytest.mark.slow
def test_every_reason_has_the_parameters_of_its_sentence() -> None:
    wrong = [
        f"{module}: {code} with {given}" for module, code, given in made() if given not in (None, parameters(code))
    ]
    assert wrong == []


def test_a_reason_is_rendered_in_the_language_of_the_reader() -> None:
    reason = Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="the flight is gone")
    assert sentence(reason) == "The server withdrew this question: “the flight is gone”"
    with i18n.speaking(Loud()):
        assert sentence(reason) == "THE SERVER WITHDREW THIS QUESTION: “the flight is gone”"
    assert sentence(reason) == "The server withdrew this question: “the flight is gone”"


@pytest.mark.parametrize(("n", "form"), [(1, "one"), (2, "many")])
def test_a_number_chooses_the_form(n: int, form: str) -> None:
    pattern = ReasonCode.TOO_MANY_PENDING.sentence
    assert isinstance(pattern, Plural)
    assert sentence(Reason.of(ReasonCode.TOO_MANY_PENDING, n=n)) == getattr(pattern, form).format(n=n)


def test_braces_in_a_servers_words_stay_as_they_are() -> None:
    assert "{n} {0} {why.__class__}" in sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="{n} {0} {why.__class__}"))


def test_hidden_characters_in_a_servers_words_are_made_visible() -> None:
    reason = Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="\u202egone")
    assert "⟦U+202E⟧gone" in shown(reason)


def test_a_word_finds_its_code_in_the_language_of_the_reader() -> None:
    assert codes_saying("MUTED this") == [ReasonCode.SERVER_MUTED]
    assert ReasonCode.WITHDRAWN_BECAUSE not in codes_saying("why")
    with i18n.speaking(Loud()):
        assert codes_saying("muted this") == [ReasonCode.SERVER_MUTED]


def test_the_parameters_of_a_reason_are_words_to_search() -> None:
    reason = Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="travel", duration=90)
    assert words_of(reason) == ["travel", "1 min 30 s"]
    assert words_of(None) == []


def test_a_list_is_named_in_the_readers_language() -> None:
    reason = Reason.of(ReasonCode.LIST_TOO_LONG, list="resourceTemplates", n=1000)
    assert sentence(reason).startswith("Resource templates: only the first 1,000")
    with i18n.speaking(Loud()):
        assert sentence(reason).startswith("RESOURCE TEMPLATES")


def test_the_docs_list_every_code_with_its_sentence() -> None:
    """The one place where the wording of sentences is asserted; `make reasons` writes it again."""
    docs = DOCS.read_text("utf-8")
    assert docs == written(docs)
