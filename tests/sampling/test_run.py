"""One run of a model: what it has used when it is stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from webclient.domain.model import InputRequest, Json, Reason, ReasonCode, Requester, Usage
from webclient.sampling.llm import ModelFailedError, ModelInfo, Models, Piece, Prices, TextPiece
from webclient.sampling.run import Run

pytestmark = pytest.mark.anyio

INFO = ModelInfo(id="m", label="M", name="m", prices=Prices(input=1e6, output=10e6))
REQUEST = InputRequest(
    user_id="u", server_id="s", kind="sampling", params={}, asked_by=Requester(label="s", address="")
)


class Unfinished:
    """A model that ends without a message."""

    info = INFO

    async def generate(self, params: Json) -> AsyncGenerator[Piece]:
        """Yield eight characters and eight Chinese ones."""
        del params
        yield TextPiece("Hi there")
        yield TextPiece("周末去里斯本旅行")

    async def close(self) -> None:
        """There is nothing to close."""


async def test_a_run_without_an_end_fails_and_is_charged_as_written() -> None:
    """Reading and writing have prices of their own; a Chinese character is about a token."""
    run = Run(REQUEST, INFO, {}, Usage(input_tokens=100, output_tokens=1000, cost=10_100.0, currency="USD"))
    with pytest.raises(ModelFailedError) as raised:
        await run.message(Models([Unfinished()]), lambda: None)
    assert raised.value.reason == Reason(ReasonCode.SAMPLING_FAILED)
    assert run.used == Usage(input_tokens=100, output_tokens=10, cost=200.0, currency="USD", is_estimate=True)


def test_a_run_that_wrote_nothing_is_charged_for_reading() -> None:
    run = Run(REQUEST, INFO, {}, Usage(input_tokens=100, output_tokens=1000, cost=10_100.0, currency="USD"))
    assert (run.text, run.used.output_tokens, run.used.cost) == ("", 0, 100.0)
