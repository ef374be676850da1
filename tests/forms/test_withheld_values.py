"""Values that may be secrets are named by the form, the message, their own name or what was typed."""

from __future__ import annotations

from tests.tables import each_row
from webclient.content.forms.fields import read_form
from webclient.content.forms.secrets import withheld_values
from webclient.domain.model import Json

KEY = "AKIAIOSFODNN7EXAMPLE"


def _form(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


@each_row(
    ("schema", "content", "message", "names"),
    [
        (_form(name={"type": "string"}), {"name": "Ada"}, "", ()),
        (_form(password={"type": "string"}), {"password": "x"}, "", ("password",)),
        (_form(p={"type": "string", "title": "Your API key"}), {"p": "x"}, "", ("p",)),
        (_form(p={"type": "string", "format": "password"}), {"p": "x"}, "", ("p",)),
        (_form(password={"type": "boolean"}), {"password": True}, "", ()),
        (_form(note={"type": "string"}), {"note": f"it is {KEY}"}, "", ("note",)),
        (_form(note={"type": "string", "default": KEY}), {"note": KEY}, "", ()),
        (_form(a={"type": "string"}, b={"type": "boolean"}), {"a": "x", "b": True}, "Enter your password.", ("a",)),
        ({}, {"token": "x", "other": 1}, "", ("token",)),
        (_form(login={"type": "object"}), {"login": {"user": "ada", "password": "x"}}, "", ("login",)),
        (_form(rows={"type": "array"}), {"rows": [{"deep": [{"key": KEY}]}]}, "", ("rows",)),
        ({}, {"flags": {"password": None, "token": False}}, "", ()),
    ],
)
def test_a_possible_secret_is_named(schema: Json, content: Json, message: str, names: tuple[str, ...]) -> None:
    assert withheld_values(read_form(schema), content, message) == names
