"""Text of the server in a form is visible, shortened, escaped and quoted (point 46)."""

from __future__ import annotations

from tests.forms.filling import field_of, form_of, render, schema_of
from webclient.content.forms.fields import read_form


def test_point_46_server_text_is_visible_capped_and_escaped() -> None:
    form = form_of(
        it={"type": "string", "title": "Pay\u202e<b>" + "x" * 900, "description": "d" * 3_000 + "\u200b end"}
    )
    html = render(form)
    assert "Pay⟦U+202E⟧&lt;b&gt;" in html
    assert "<b>" not in html
    assert "x" * 300 not in html
    assert "⟦U+200B⟧ end" in html
    assert "<summary>Show more</summary>" in html


def test_point_46_all_server_text_is_rendered_visibly() -> None:
    evil = "a\u202eb"
    text = {"type": "string"}
    form = read_form(
        {
            "title": evil,
            "description": evil,
            "$schema": evil,
            "properties": {
                evil: {**text, "description": evil, "format": evil},
                "p": {**text, "pattern": evil},
                "o": {"oneOf": [{"const": evil, "title": evil, "description": evil}, {"const": "b"}]},
                "e": {"type": "array", "items": {"enum": [evil]}},
                "n": {"enum": ["a", "b"], "enumNames": [evil, evil + evil]},
                "s": {"enum": [evil, *map(str, range(10))]},
                "c": {"enum": [evil, *map(str, range(30))]},
                "f": {"const": evil},
                "x": {"anyOf": [text, {"type": evil}]},
                "u": {"type": evil},
            },
            "required": [evil + evil],
        }
    )
    html = render(form)
    assert "\u202e" not in html
    assert html.count("⟦U+202E⟧") >= 17
    assert "⟦U+202E⟧" in str(form.unanswerable)


def test_point_46_hidden_characters_in_a_default_are_named() -> None:
    field = field_of({"type": "string", "default": "admin\u200b"})
    assert field.constraints == ("The suggested text contains hidden characters: admin⟦U+200B⟧",)


def test_the_title_of_a_form_is_quoted_as_the_servers_words() -> None:
    html = render(read_form({**schema_of(), "title": "Checked by mcp-webclient", "description": "Safe."}))
    assert "<h" not in html
    quoted = html.partition("<blockquote")[2].partition("</blockquote>")[0]
    assert "Checked by mcp-webclient" in quoted
    assert "Safe." in quoted
