"""Every text that a person reads is a whole sentence or label, stands in the catalogs, and is translated."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from tests import written
from tests.messages import PACKAGE, TRANSLATED, as_written, catalog, extracted, missing, sources, unused
from tests.tables import each_row
from webclient.domain.languages import catalog_of
from webclient.support.paths import STATIC, TEMPLATES

ROOMS = (
    "auth", "calls", "content/forms", "content/links", "content/secrets", "domain", "inbox",
    "servers/config_file", "servers/connections", "settings", "store/live", "web/api", "web/http", "web/pages",
)  # fmt: skip
"""Rooms that make sentences for people; the others make reasons."""

IN_ENGLISH = {
    "servers/config_file/importing.py",
    "servers/connections/trial.py",
    "web/api/authorizer.py",
    "web/api/description.py",
    "web/http/context.py",
    "inbox/kinds/sampling_messages.py",
    "inbox/hosted_answers.py",
    "inbox/hosted_tasks.py",
    "inbox/policy.py",
    "settings/settings.py",
}
"""Modules with sentences in English: for the terminal, for OpenAPI, and for servers."""

OF_LIBRARIES = {
    "content/forms/writing/json_text.py": "Expecting|Illegal|Extra data|Unterminated|Invalid control",
    "web/http/errors.py": "There was",
}
"""Modules that recognise messages of libraries, and how those begin."""

NAMES = ("mcp-webclient", "JSON", "UTC", "MCP", "HTTP")
"""Words that are the same in every language."""

INNER = {"just now", "at {time} UTC", "after {duration}", "an address that cannot be opened"}
INNER |= {"any agent", "any server", "any tool"}
"""Times and nouns that stand inside of a sentence."""

ATTRIBUTES = {
    ("wire_log/_message.html", "open"),
    ("forms/_controls.html", "required"),
    ("requests/kinds/form.html", "disabled"),
}
"""Attributes that a template writes by themselves: template, how the piece begins."""

PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def forms(message: Message) -> list[str]:
    """Return the English forms of a message."""
    return list(message.id) if isinstance(message.id, tuple) else [str(message.id)]


def translations(message: Message) -> list[str]:
    """Return the forms of a message in another language."""
    return list(message.string) if isinstance(message.string, tuple) else [str(message.string)]


def fields(text: str) -> set[tuple[str, str, str]]:
    """Return the placeholders of a text: name, format, conversion. Raises ValueError if it is malformed."""
    parsed = string.Formatter().parse(text)
    return {(name, spec or "", conversion or "") for _text, name, spec, conversion in parsed if name is not None}


def messages() -> list[Message]:
    """Return all sentences; they are read by the first test that asks, as every worker loads this module."""
    return [message for message in extracted() if message.id]


@pytest.mark.parametrize("tag", TRANSLATED)
def test_every_sentence_is_translated(tag: str) -> None:
    """`make messages`, then translate what is empty or fuzzy (docs/contributing.md, Translate)."""
    assert missing(tag) == []


@pytest.mark.parametrize("tag", TRANSLATED)
def test_every_translation_is_used(tag: str) -> None:
    """`make messages` removes the others."""
    assert unused(tag) == []


@pytest.mark.parametrize("tag", TRANSLATED)
def test_a_translation_has_the_placeholders_of_its_sentence(tag: str) -> None:
    wrong = [
        text
        for message in catalog(tag)
        for text in translations(message)
        if message.id and text and fields(text) != set().union(*map(fields, forms(message)))
    ]
    assert wrong == []


@pytest.mark.parametrize("tag", TRANSLATED)
def test_a_catalog_stands_as_make_messages_writes_it(tag: str) -> None:
    assert catalog_of(tag).read_text("utf-8") == as_written(catalog(tag))


def test_the_forms_of_a_number_have_the_same_placeholders() -> None:
    """Some languages have one form for all numbers, which must then say everything."""
    plural = [message.id for message in messages() if isinstance(message.id, tuple)]
    assert [(one, many) for one, many in plural if fields(one) != fields(many)] == []


def test_placeholders_have_names() -> None:
    wrong = [form for message in messages() for form in forms(message) if any(not name for name, *_ in fields(form))]
    assert wrong == []


def test_a_sentence_begins_and_ends_without_a_space() -> None:
    assert [form for message in messages() for form in forms(message) if form != form.strip()] == []


def test_a_sentence_or_label_begins_with_a_capital() -> None:
    """A fragment with a small letter has its place inside of a sentence that a translator does not see."""
    texts = {form for message in messages() for form in forms(message)}
    assert {text for text in texts if text[0].islower() and not text.startswith(tuple(NAMES))} - INNER == set()


@each_row(
    ("source", "texts"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ("<p>{{ _('Hello') }}</p>", []),
        ("<p>{{ name }} asks</p>", ["asks"]),
        ('<p title="Close it"></p>', ["Close it"]),
        ('<input placeholder="Name" value="x">', ["Name"]),
        ('<img alt="{{ _("Picture") }}">', []),
        ("<p>{# A comment #}·</p>", []),
        ("<p>{{ 'Not yet' if a else _('Done') }}</p>", ["Not yet"]),
        ("<p>{{ a or 'No name' }}</p>", ["No name"]),
        ("<p class='a b'>{% if a == 'An entry' %}{{ a }}{% endif %}</p>", []),
    ],
)
def test_a_text_written_into_a_template_is_found(source: str, texts: list[str]) -> None:
    assert written.in_template(source) == texts


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('{{ _("a") ~ b }}', 1),
        ('{{ b + _("a").format(x=1) }}', 1),
        ('{% set x = (_("a") if b else _("c")) ~ "." %}', 1),
        ('{{ edit("x " ~ b, _("a")) }}', 0),
    ],
)
def test_a_joined_text_in_a_template_is_found(source: str, count: int) -> None:
    assert len(written.joined_in_template(source)) == count


@each_row(
    ("source", "count"),
    [
        ('x = "Nothing was found."', 1),
        ('x = f"Nothing of {name} was found."', 1),
        ('x = _("Nothing was found.")', 0),
        ('x = "No more"', 1),
        ('"""A module. It does this."""', 0),
        ('logger.info("Nothing was found.")', 0),
        ('x = "text/html; charset=utf-8"', 0),
        ('x = "SELECT a FROM b"', 0),
    ],
)
def test_a_sentence_in_code_is_found(source: str, count: int) -> None:
    assert len(list(written.in_code(source))) == count


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('_("a") + b', 1),
        ('f"{_(1)} b"', 1),
        ('_(", ").join(names)', 1),
        ('_("{a}").format(a=f"“{b}”")', 0),
        ('f"{_(1).format(a=2)}"', 1),
        ('", ".join([_("a")])', 0),
    ],
)
def test_a_joined_text_in_code_is_found(source: str, count: int) -> None:
    assert len(list(written.joined_in_code(source))) == count


@pytest.mark.parametrize(
    ("source", "count"), [('say("Not sent yet")', 1), ('say("a b")', 0), ("// It's Not a string", 0)]
)
def test_a_sentence_in_a_script_is_found(source: str, count: int) -> None:
    assert len(written.in_script(source)) == count


def templates() -> Iterator[Path]:
    """Yield the templates that are ours to translate."""
    return (path for path, _method in sources() if path.suffix == ".html")


def modules() -> Iterator[Path]:
    """Yield the modules whose sentences may be shown on a page."""
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            if path.relative_to(PACKAGE).as_posix() not in IN_ENGLISH:
                yield path


def test_no_text_stands_in_a_template() -> None:
    found = [
        (path.relative_to(TEMPLATES).as_posix(), text)
        for path in templates()
        for text in written.in_template(path.read_text("utf-8"))
        if re.search(r"\w", re.sub("|".join(NAMES), "", text))
    ]
    assert [(name, text) for name, text in found if (name, text.split()[0]) not in ATTRIBUTES] == []


def test_no_text_in_a_template_is_joined() -> None:
    assert [
        (path.name, each) for path in templates() for each in written.joined_in_template(path.read_text("utf-8"))
    ] == []


def test_no_sentence_stands_in_a_script() -> None:
    scripts = sorted((STATIC / "js").glob("*.js"))
    assert [(path.name, text) for path in scripts for text in written.in_script(path.read_text("utf-8"))] == []


def test_no_sentence_stands_in_code() -> None:
    found = []
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        known = OF_LIBRARIES.get(name, "$")
        found += [f"{name} {text}" for text in written.in_code(path.read_text("utf-8")) if not re.match(known, text)]
    assert found == []


def test_no_text_in_code_is_joined() -> None:
    assert [(path.name, each) for path in modules() for each in written.joined_in_code(path.read_text("utf-8"))] == []
