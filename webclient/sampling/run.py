"""One run of a model for a sampling request: its pieces as they come, until it is done, fails or is stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from webclient.domain.model import InputRequest, Json, Reason, ReasonCode, Usage
from webclient.sampling.llm import (
    Done,
    ModelFailedError,
    ModelInfo,
    Models,
    TextPiece,
    ToolUsePiece,
    tokens_of_text,
    usage,
)

PAUSE = 0.25
"""Seconds between two notices of new text."""


@dataclass(eq=False, slots=True)
class Run:
    """A model at work. `estimate` is the most that it probably uses; `text` is what it has written so far."""

    request: InputRequest
    model: ModelInfo
    params: Json
    estimate: Usage
    written: list[str] = field(default_factory=list)
    _tool: int = -1
    _noticed_at: float = -inf

    @property
    def text(self) -> str:
        """The text so far; a tool use begins a line with the name of its tool."""
        return "".join(self.written)

    @property
    def used(self) -> Usage:
        """The estimated use of a model that was stopped here; providers charge for what was written."""
        return usage(self.model, self.estimate.input_tokens, tokens_of_text(self.text), is_estimate=True)

    async def message(self, models: Models, notice: Callable[[], None]) -> Done:
        """Return the message; `notice` is called when there is more text. Raises ModelFailedError."""
        async with aclosing(models.generate(self.model.id, self.params)) as pieces:
            async for piece in pieces:
                match piece:
                    case Done():
                        return piece
                    case TextPiece(text):
                        self.written.append(text)
                    case ToolUsePiece(index, name, arguments):
                        self.written.append(arguments if index == self._tool else f"\n{name} {arguments}")
                        self._tool = index
                if monotonic() - self._noticed_at >= PAUSE:
                    self._noticed_at = monotonic()
                    notice()
        # It ended without a message.
        raise ModelFailedError(Reason(ReasonCode.SAMPLING_FAILED))
