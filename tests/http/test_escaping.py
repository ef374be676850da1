"""Every value that a template writes is escaped, once."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from tests.tables import each_row
from webclient.web.http.templating import environment

HOSTILE = "<script>\"it's\" & 'that'</script>"
SAFE = "&lt;script&gt;&#34;it&#39;s&#34; &amp; &#39;that&#39;&lt;/script&gt;"


def render(source: str, **context: object) -> str:
    return environment.from_string(source).render(context)


@each_row(
    "source",
    [
        "{{ it }}",
        '{{ "" ~ it }}',
        "{{ it|string }}",
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
    own = environment.from_string("{{ asset is defined }}{{ own }}", {"own": ">"})
    assert own.render() == "True&gt;"
    with pytest.raises(UndefinedError):
        environment.from_string("{{ own }}").render()
