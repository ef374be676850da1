"""The language models that this program may use: which there are, which one fits, and its answer as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from webclient.domain.model import Json, Reason, ReasonCode, Usage
from webclient.sampling.llm import choice, estimate
from webclient.sampling.llm.choice import Choice
from webclient.sampling.llm.info import ModelInfo
from webclient.sampling.llm.pieces import ModelFailedError, Piece


class Model(Protocol):
    """A language model: one that a provider runs, or one that follows a script."""

    @property
    def info(self) -> ModelInfo:
        """What is known of it."""

    def generate(self, params: Json) -> AsyncGenerator[Piece]:
        """Yield the pieces of its answer, and `Done` at the end. Raises `ModelFailedError`."""

    async def close(self) -> None:
        """Close its connections."""


class Models:
    """The models of this program; without any, the person is the only model."""

    def __init__(self, models: Sequence[Model] = ()) -> None:
        self._models = {model.info.id: model for model in models}
        self.all: Sequence[ModelInfo] = [model.info for model in models]

    def get(self, model_id: str) -> ModelInfo | None:
        """Return what is known of a model; None if it is not, or no longer, configured."""
        found = self._models.get(model_id)
        return found.info if found else None

    def choose(self, preferences: Json | None) -> Choice | None:
        """Return the model that fits `modelPreferences` best, with the reason; None if there is no model."""
        return choice.choose(self.all, preferences)

    def estimate(self, model_id: str, params: Json) -> Usage:
        """Return the most that a run of the model with these parameters probably uses."""
        model = self._of(model_id).info
        most = params.get("maxTokens")
        written = most if isinstance(most, int) else 0
        return estimate.usage(model, estimate.tokens_of_request(params), written, is_estimate=True)

    async def generate(self, model_id: str, params: Json) -> AsyncGenerator[Piece]:
        """Run a model: yield the pieces of its answer as they come, and `Done` at the end.

        `params` are those of `sampling/createMessage`, as the person edited them. Ending the loop early, or cancelling
        the task, ends the request to the model at once; use `contextlib.aclosing` for the former. Raises
        `ModelFailedError` with a reason for the person.
        """
        answer = self._of(model_id).generate(params)
        try:
            async for piece in answer:
                yield piece
        finally:
            await answer.aclose()

    async def close(self) -> None:
        """Close the connections to the models."""
        for model in self._models.values():
            await model.close()

    def _of(self, model_id: str) -> Model:
        if (found := self._models.get(model_id)) is None:
            raise ModelFailedError(Reason.of(ReasonCode.MODEL_NOT_CONFIGURED, model=model_id))
        return found
