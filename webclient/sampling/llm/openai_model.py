"""A model behind an OpenAI-compatible address, by the `openai` package, which is loaded when it is first needed.

The package sends, authenticates and reads the stream; everything else is here and in `chat_request` and `chat_answer`.
A request is sent once: whether a failed one was paid for is unknown, so the person decides to try again. The one
exception is a parameter that the model refuses by its name, which costs nothing: it is sent again without it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import cached_property
from typing import TYPE_CHECKING, Any, Never

import httpx2

from webclient.domain.model import Json, Param, Reason, ReasonCode
from webclient.network import network_reason, tls_context
from webclient.sampling.llm import chat_request
from webclient.sampling.llm.chat_answer import LARGEST, ChatAnswer
from webclient.sampling.llm.chat_request import ToolNames, UnsupportedContentError, allowed_tools
from webclient.sampling.llm.info import ModelInfo
from webclient.sampling.llm.pieces import ModelFailedError, Piece
from webclient.sampling.llm.provider import LIMIT, ModelProvider
from webclient.sampling.llm.provider_errors import reason_of, refused_parameter, words_of
from webclient.sampling.llm.provider_http import TooLargeError, http_client

if TYPE_CHECKING:
    import openai

_PATH = "/chat/completions"

_OPTIONAL = ("temperature", "stop", "tool_choice", "stream_options")
"""Parameters that are left out for a model that refuses them: the client MAY (MCP 2025-11-25, Sampling)."""

_NEWER_LIMIT = "max_completion_tokens"
"""The limit is never left out (2026-07-28: the client MUST respect `maxTokens`); newer models want the other name."""


class OpenAIModel:
    """A model of a provider; its connections are opened when needed, and closed by `close`."""

    def __init__(self, info: ModelInfo, provider: ModelProvider) -> None:
        self.info = info
        self._provider = provider
        self._omit = set(provider.omit)
        self._limit = provider.limit

    async def generate(self, params: Json) -> AsyncGenerator[Piece]:
        """Yield the answer as it comes, and `Done` at the end. Raises `ModelFailedError`."""
        if self._provider.key_variable and not self._provider.key:
            self._fail(ReasonCode.MODEL_KEY_MISSING, model=self.info.label, variable=self._provider.key_variable)
        names = ToolNames()
        try:
            body = self._body(params, names)
            answer = ChatAnswer(self.info, self.info.host, params, names, allowed_tools(params))
            async with aclosing(self._parts(body)) as parts:
                async for part in parts:
                    for piece in answer.add(part):
                        yield piece
        except UnsupportedContentError as error:
            self._fail(ReasonCode.MODEL_CONTENT_UNSUPPORTED, model=self.info.label, kind=error.kind)
        yield answer.done()

    async def close(self) -> None:
        """Close the connections."""
        if "_http" in self.__dict__:
            await self._http.aclose()

    def _body(self, params: Json, names: ToolNames) -> Json:
        messages = chat_request.messages(params, self._provider.accepts, names)
        streaming = {"stream": True, "stream_options": {"include_usage": True}} if self._provider.streams else {}
        body = {"model": self.info.name, "messages": messages}
        return body | chat_request.limits(params) | chat_request.tools(params, names) | streaming

    def _sent(self, body: Json) -> Json:
        """Return the body without the parameters that this model does not take."""
        sent = {name: value for name, value in body.items() if name not in self._omit}
        if LIMIT in sent:
            sent[self._limit] = sent.pop(LIMIT)
        return sent

    async def _parts(self, body: Json) -> AsyncGenerator[Any]:
        """Yield the parts of the answer as plain JSON."""
        package = await self._load()
        client = self._client(package)
        has_begun = False
        try:
            async with aclosing(self._stream(package, client, body)) as parts:
                async for part in parts:
                    has_begun = True
                    yield part
        except package.APIStatusError as error:
            raise ModelFailedError(self._reason(error.status_code, error.body)) from None
        except package.APITimeoutError:
            self._fail(ReasonCode.MODEL_TIMEOUT, host=self.info.host, duration=self._provider.seconds)
        except package.APIConnectionError as error:
            if isinstance(error.__cause__, TooLargeError):
                self._fail(ReasonCode.MODEL_ANSWER_TOO_LARGE, model=self.info.label, kilobytes=LARGEST // 1024)
            if not has_begun and (reason := network_reason(error, self._provider.url)):
                raise ModelFailedError(reason) from None
            cut = ReasonCode.MODEL_ANSWER_CUT if has_begun else ReasonCode.MODEL_UNREACHABLE
            self._fail(cut, host=self.info.host)
        except package.APIError as error:
            # In the middle of the stream there is no status any more.
            words = words_of(error.body, self._provider.key)
            self._fail(ReasonCode.MODEL_ANSWER_FAILED, host=self.info.host, words=words)
        except httpx2.TimeoutException:
            self._fail(ReasonCode.MODEL_TIMEOUT, host=self.info.host, duration=self._provider.seconds)
        except httpx2.HTTPError:
            self._fail(ReasonCode.MODEL_ANSWER_CUT, host=self.info.host)
        except ValueError:
            self._fail(ReasonCode.MODEL_ANSWER_UNUSABLE, host=self.info.host)

    async def _stream(self, package: Any, client: openai.AsyncOpenAI, body: Json) -> AsyncGenerator[Any]:
        stream = await self._post(package, client, body)
        try:
            if _type_of(stream.response) == "text/html":
                self._fail(ReasonCode.MODEL_ANSWER_UNUSABLE, host=self.info.host)
            if _type_of(stream.response) == "application/json":
                # Some gateways send a whole answer also if a stream was asked for.
                yield json.loads(await stream.response.aread())
                return
            async for part in _iterated(stream):
                yield part
        finally:
            await stream.close()

    async def _post(self, package: Any, client: openai.AsyncOpenAI, body: Json) -> openai.AsyncStream[object]:
        while True:
            sent = self._sent(body)
            try:
                content = chat_request.encoded(sent)
                return await client.post(
                    _PATH, content=content, cast_to=object, stream=True, stream_cls=package.AsyncStream[object]
                )
            except package.APIStatusError as error:
                if not self._adapt(refused_parameter(error.status_code, error.body, sent)):
                    raise

    def _adapt(self, refused: str | None) -> bool:
        """Remember what the model refuses; return whether the request is worth sending again."""
        if refused == LIMIT and self._limit == LIMIT:
            self._limit = _NEWER_LIMIT
            return True
        if refused in _OPTIONAL and refused not in self._omit:
            self._omit.add(refused)
            return True
        return False

    def _reason(self, status: int, body: Any) -> Reason:
        return reason_of(
            status,
            body,
            host=self.info.host,
            label=self.info.label,
            name=self.info.name,
            key=self._provider.key,
        )

    async def _load(self) -> Any:
        try:
            # It takes half a second, in which other requests go on.
            return await asyncio.to_thread(_import, self._provider)
        except ImportError:
            raise ModelFailedError(Reason.of(ReasonCode.MODEL_EXTRA_MISSING, model=self.info.label)) from None

    def _client(self, package: Any) -> openai.AsyncOpenAI:
        # Its own retries would hide failures and be paid for; without a key of ours it takes one from the environment.
        client: openai.AsyncOpenAI = package.AsyncOpenAI(
            api_key=self._provider.key or "none", base_url=self._provider.url, max_retries=0, http_client=self._http
        )
        return client

    @cached_property
    def _http(self) -> httpx2.AsyncClient:
        return http_client(self._provider)

    def _fail(self, code: ReasonCode, **params: Param) -> Never:
        raise ModelFailedError(Reason.of(code, **params)) from None


def _import(provider: ModelProvider) -> Any:
    import openai  # noqa: PLC0415  (half a second, for the few who use it)

    # Loading the certificate authorities takes 40 ms, which pass in the same thread.
    tls_context(provider.ca_file)
    return openai


def _type_of(response: httpx2.Response) -> str:
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower()


async def _iterated(stream: openai.AsyncStream[object]) -> AsyncIterator[Any]:
    async for part in stream:
        yield part
