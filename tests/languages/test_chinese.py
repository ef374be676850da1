"""The Chinese catalog: one word for one thing, and the marks of its own script without spaces around them."""

from __future__ import annotations

import re

import pytest

from tests.messages import catalog
from webclient.domain.i18n import labelled, speaking
from webclient.domain.languages import translations
from webclient.support.paths import TEMPLATES
from webclient.web.http.templating import environment

HAN = "\u4e00-\u9fff"

WRONG = {
    "another word for you": "您",
    "another word for a question": "问题",
    "an ASCII mark between Chinese characters": rf"[{HAN}][,;:!?](?=[{HAN}])",
    "a space beside a full-width mark": r"[，。：；！？、（）] | [，。：；！？、（）]",
    "another word for sampling": r"[\uff08(]sampling",
    "no space between Chinese and Latin": rf"[{HAN}][A-Za-z]|[A-Za-z][{HAN}]",
}


@pytest.mark.parametrize("what", WRONG)
def test_no_translation_breaks_the_rules_of_the_language(what: str) -> None:
    found = [message.string for message in catalog("zh-Hans") if message.id]
    texts = [str(text) for each in found for text in (each if isinstance(each, tuple | list) else (each,))]
    assert [text for text in texts if re.search(WRONG[what], text)] == []


@pytest.mark.parametrize(
    "between",
    [
        "{} {}",
        "<p>{}</p> {}",
        "{}{{% if 1 %}} {}{{% endif %}}",
        "{}{{% if 1 %}}{{% endif %}}\n  {{%- if 1 %}} {}{{% endif %}}",
        "{}\n  {}",
        "{}\n  {{% if 1 %}}{}\n  {{%- endif %}}",
        "{{% if 1 %}}{}{{% endif %}}\n  {}",
    ],
    ids=[
        "plain",
        "element",
        "condition",
        "second condition",
        "next line",
        "condition on the next line",
        "end of a condition",
    ],
)
def test_templates_join_sentences_as_the_language_does(between: str) -> None:
    first, second = '{{ _("You are signed in.") }}', '{{ _("Declined.") }}'
    template = environment.from_string(between.format(first, second))
    assert re.search(r"\.(</p>)? \S", template.render())
    with speaking(translations("zh-Hans")):
        assert not re.search(r"。(</p>)?\s", template.render())


def test_values_in_one_line_have_the_marks_of_the_language() -> None:
    values = [("Book another day", "Yes"), ("Other date", "Dec 26, 2026")]
    assert labelled(values) == "Book another day: Yes; Other date: Dec 26, 2026"
    with speaking(translations("zh-Hans")):
        assert labelled(values) == "Book another day：Yes；Other date：Dec 26, 2026"


def test_no_template_writes_a_mark_between_names_itself() -> None:
    written = [path.name for path in TEMPLATES.rglob("*.html") if re.search(r'", (?:…)?" if', path.read_text("utf-8"))]
    assert written == []
