"""Settled sampling requests in words: the messages, the answer and its model."""

from __future__ import annotations

from tests.pages.sampling.given import sampling_params, second_turn
from webclient.domain.model import InputRequest, Json, Requester, RequestState, Sampling
from webclient.web.http import render_text
from webclient.web.pages.inbox.cards import untouched
from webclient.web.pages.sampling.answer import PERSON
from webclient.web.pages.sampling.record import MOST_CHARACTERS, sampling_record

WRITTEN: Json = {"role": "assistant", "model": "gpt", "content": {"type": "text", "text": "<b>Sunny</b>"}}


def settled(params: Json, content: Json | None = WRITTEN, sampling: Sampling | None = None) -> InputRequest:
    return InputRequest(
        user_id="ada",
        server_id="s1",
        kind="sampling",
        params=params,
        state=RequestState.ACCEPTED,
        content=content,
        sampling=sampling,
        asked_by=Requester(label="it", address="https://it.example/mcp", claims=None),
    )


def test_messages_answer_and_model_are_shown_in_words() -> None:
    request = settled(second_turn())
    page = render_text("sampling/_messages.html", request=request)
    for text in ("Be brief.", "How is the weather in Lisbon?", "Let me look.", "get_weather", "Sunny"):
        assert text in page, text
    sent = render_text("requests/_sent_content.html", card=untouched(request), request=request)
    words, _summary, json = sent.partition("<details")
    assert "&lt;b&gt;Sunny" in words
    assert "gpt" in words
    assert "assistant" not in words.replace("turn--assistant", "")
    assert "&#34;role&#34;: &#34;assistant&#34;" in json


def test_an_answer_that_a_person_wrote_has_no_model() -> None:
    record = sampling_record(settled(sampling_params("Hi"), WRITTEN | {"model": PERSON}))
    assert record.by_person
    assert [block.text for block in record.answer] == ["<b>Sunny</b>"]


def test_changes_of_the_person_are_part_of_the_record() -> None:
    edited = sampling_params("Hello")
    record = sampling_record(settled(sampling_params("Hi"), sampling=Sampling(edited=edited)))
    assert record.changes
    assert [block.text for message in record.messages for block in message.blocks] == ["Hi"]


def test_a_long_conversation_shows_its_last_messages() -> None:
    texts = ["x" * (MOST_CHARACTERS // 2), *("short" for _ in range(4)), "y" * (MOST_CHARACTERS // 2)]
    record = sampling_record(settled(sampling_params(*texts)))
    assert (len(record.messages), record.omitted) == (5, 1)
    alone = sampling_record(settled(sampling_params("z" * 3 * MOST_CHARACTERS)))
    assert (len(alone.messages), alone.omitted) == (1, 0)


def test_erased_and_malformed_values_have_a_record() -> None:
    erased = sampling_record(settled({"messages": [], "maxTokens": 5}, {"role": None, "content": None, "model": None}))
    assert (erased.messages, erased.answer, erased.model) == ([], (), "")
    odd = settled({"messages": [7, {"content": None}], "systemPrompt": []}, {"content": [{"type": "image"}, 5]})
    assert [block.kind for block in sampling_record(odd).answer] == ["unknown", "unknown"]
    assert "conversation" not in render_text("sampling/_messages.html", request=settled({"messages": "none"}))
