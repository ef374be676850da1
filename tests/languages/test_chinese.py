"""The Chinese catalog: one word for one thing, and the marks of its own script without spaces around them."""

from __future__ import annotations

import re

import pytest

from tests.messages import catalog
from webclient.domain.i18n import speaking
from webclient.domain.languages import translations
from webclient.web.http.templating import environment

HAN = "\u4e00-\u9fff"

WRONG = {
    "another word for you": "您",
    "another word for a question": "问题",
    "an ASCII mark between Chinese characters": rf"[{HAN}][,;:!?](?=[{HAN}])",
    "a space after a full-width mark": r"[，。：；！？、] ",
}


@pytest.mark.parametrize("what", WRONG)
def test_no_translation_breaks_the_rules_of_the_language(what: str) -> None:
    found = [message.string for message in catalog("zh-Hans") if message.id]
    texts = [str(text) for each in found for text in (each if isinstance(each, tuple | list) else (each,))]
    assert [text for text in texts if re.search(WRONG[what], text)] == []


@pytest.mark.parametrize(
    "between", ["{} {}", "<p>{}</p> {}", "{}{{% if 1 %}} {}{{% endif %}}"], ids=["plain", "element", "condition"]
)
def test_templates_join_sentences_as_the_language_does(between: str) -> None:
    first, second = '{{ _("You are signed in.") }}', '{{ _("Declined.") }}'
    template = environment.from_string(between.format(first, second))
    assert re.search(r"\. ?\S", template.render())
    with speaking(translations("zh-Hans")):
        assert not re.search(r"。(</p>)? ", template.render())
