"""The output of templates is escaped as Jinja itself escapes it."""

from __future__ import annotations

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import StrictUndefined, UndefinedError
from markupsafe import Markup, escape

from webclient.web.http.escaping import EscapingEnvironment, escaped

HOSTILE = "<script>\"it's\" & 'that'</script>"
SAFE = "&lt;script&gt;&#34;it&#39;s&#34; &amp; &#39;that&#39;&lt;/script&gt;"


class Word(StrEnum):
    MARKED = "<b>"


def render(source: str, **context: object) -> str:
    environment = EscapingEnvironment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(source).render(context)


@given(st.one_of(st.text(), st.text("&<>'\";a"), st.integers(), st.floats(), st.none(), st.lists(st.text("<&'"))))
def test_any_value_is_escaped_as_by_jinja_itself(value: object) -> None:
    assert escaped(value) == escape(value)


@pytest.mark.parametrize("value", [Word.MARKED, Markup("<b>"), Markup("&amp;")])
def test_text_like_values_are_escaped_as_by_jinja(value: str) -> None:
    assert escaped(value) == escape(value)


@pytest.mark.parametrize(
    "source",
    [
        "{{ it }}",
        '{{ "" ~ it }}',
        "{{ it|string }}",
        "{% autoescape false %}{{ it }}{% endautoescape %}",
        "{% set block %}{{ it }}{% endset %}{{ block }}",
        "{% macro m(it) %}{{ it }}{% endmacro %}{{ m(it) }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ it }}{% endcall %}",
        "{% for each in [it] %}{{ each }}{% endfor %}",
        "{% block whole %}{{ it }}{% endblock %}",
    ],
)
def test_whichever_way_a_value_is_put_out_it_is_escaped_once(source: str) -> None:
    assert render(source, it=HOSTILE) == SAFE


def test_a_missing_value_is_an_error_and_not_an_empty_text() -> None:
    with pytest.raises(UndefinedError):
        render("{{ missing }}")


def test_names_of_one_template_are_not_those_of_another() -> None:
    environment = EscapingEnvironment(autoescape=True, undefined=StrictUndefined)
    environment.globals["ours"] = "<"
    own = environment.from_string("{{ ours }}{{ own }}", {"own": ">"})
    assert own.render() == "&lt;&gt;"
    assert environment.from_string("{{ ours }}").render() == "&lt;"
    with pytest.raises(UndefinedError):
        environment.from_string("{{ own }}").render()
