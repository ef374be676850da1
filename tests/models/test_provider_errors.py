"""Errors of providers: which parameter they refuse, in the words of several servers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tables import each_row
from webclient.sampling.llm.provider_errors import refused_parameter

SENT = {"model", "messages", "max_tokens", "temperature", "stop", "stream", "stream_options", "tools", "tool_choice"}


@each_row(
    ("body", "name"),
    [
        ({"message": "Unsupported parameter", "param": "max_tokens"}, "max_tokens"),
        ({"message": "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead."}, "max_tokens"),
        ({"message": "Unrecognized request argument supplied: stream_options"}, "stream_options"),
        ({"message": "Unsupported value: 'temperature' does not support 0.2 with this model."}, "temperature"),
        ({"message": "stop is not supported"}, "stop"),
        ({"error": {"message": "`tool_choice` must be auto or none"}}, "tool_choice"),
        ({"detail": [{"loc": ["body", "stop"], "msg": "extra fields not permitted"}]}, "stop"),
        ({"detail": "“stop” is unknown"}, "stop"),
        ("property 'stream_options' is unsupported", "stream_options"),
        ({"message": "Please stop. The temperature of the GPU is too high."}, None),
        ({"message": "The context has too many tokens."}, None),
        ({"message": "no", "param": ["stop"]}, None),
        ({"detail": [{"loc": []}, 7, {"loc": [7]}]}, None),
        ({"detail": {"detail": {"detail": {"detail": {"detail": "'stop'"}}}}}, None),
        (None, None),
        ([[[["'stop'"]]]], "stop"),
    ],
)
def test_a_refused_parameter_is_found_by_its_name(body: Any, name: str | None) -> None:
    assert refused_parameter(400, body, dict.fromkeys(SENT)) == name


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_other_errors_refuse_no_parameter(status: int) -> None:
    assert refused_parameter(status, {"param": "stop"}, dict.fromkeys(SENT)) is None
