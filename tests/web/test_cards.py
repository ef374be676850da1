"""Cards as HTML, where no server can be had that asks so."""

from __future__ import annotations

import pytest

from tests.forms.filling import Page
from webclient.model import AskedBy, InputRequest, RequestKind
from webclient.web.cards import untouched
from webclient.web.templating import render_text


@pytest.mark.parametrize("kind", [RequestKind.SAMPLING, RequestKind.ROOTS])
def test_a_kind_of_question_without_a_card_of_its_own_is_shown_as_it_came_and_can_be_declined(
    kind: RequestKind,
) -> None:
    asked = InputRequest(
        id="r1",
        user_id="local",
        server_id="s1",
        kind=kind,
        params={"systemPrompt": "<script>\u202e", "maxTokens": 7},
        asked_by=AskedBy(label="box", address="stdio: box"),
    )
    page = Page(render_text("requests/any.html", card=untouched(asked), calls=[]))
    assert [each["id"] for each in page.all("article")] == ["request-r1"]
    assert len(page.all("form")) == 1
    assert [each.get("value") for each in page.all("button")] == ["decline", "cancel"]
    assert f"cannot be given here ({kind})" in page.text
    assert '"systemPrompt": "<script>\\u202e"' in page.text
    assert '"maxTokens": 7' in page.text
    assert not page.all("script")
