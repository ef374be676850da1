"""The API of sampling: edit a request, send it to a model, stop that, change the message; and the models there are."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.web.api.bodies import GenerateBody, SamplingPatch
from webclient.web.api.request_shapes import RequestShape
from webclient.web.api.requests import shape_of
from webclient.web.api.shapes import Shape
from webclient.web.http import PrincipalDep, RequestDep, ServerDep, ServicesDep, problems

router = APIRouter(tags=["sampling"])


class PricesShape(Shape):
    """Prices per million tokens."""

    input: float
    output: float
    currency: str


class ModelShape(Shape):
    """A language model; `host` is where requests go, "" for one inside of this program. The figures are from 0 to 1."""

    id: str
    label: str
    name: str
    host: str
    intelligence: float
    speed: float
    cost: float
    prices: PricesShape | None


class ModelsShape(Shape):
    """The language models that can answer sampling requests."""

    models: list[ModelShape]


class SpentShape(Shape):
    """The use of models by a server on a day in UTC; `costs` has the sums by currency."""

    day: str
    requests: int
    tokens: int
    costs: dict[str, float]


@router.get("/models")
async def list_models(services: ServicesDep, principal: PrincipalDep) -> ModelsShape:
    """List the language models that can answer sampling requests; without any, the person is the only one."""
    del principal
    return ModelsShape(models=[ModelShape.of(each) for each in services.models.all])


@router.patch("/requests/{request_id}/sampling", responses=problems(400, 404, 409, 413, 415, 422))
async def change_sampling(body: SamplingPatch, services: ServicesDep, request: RequestDep) -> RequestShape:
    """Edit the `params` that a model gets, null for those of the server; or change the `result` under review."""
    if "params" in body.model_fields_set:
        params = None if body.params is None else dict(body.params)
        request = await services.sampling.edit(request, params)
    if body.result is not None:
        request = await services.sampling.revise(request, dict(body.result))
    return await shape_of(services, request)


@router.post("/requests/{request_id}/generate", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def generate(body: GenerateBody, services: ServicesDep, request: RequestDep) -> RequestShape:
    """Send the request to a model; its message is shown for review, and nothing goes to the server before an answer."""
    begun = await services.sampling.generate(request, body.model, extend=body.extend, approve_turns=body.approve_turns)
    return await shape_of(services, begun)


@router.post("/requests/{request_id}/stop", responses=problems(404, 409))
async def stop(services: ServicesDep, request: RequestDep) -> RequestShape:
    """Stop the model, or drop the message under review; the request waits for the person again."""
    return await shape_of(services, await services.sampling.stop(request))


@router.get("/servers/{server_id}/sampling", responses=problems(404))
async def get_spent(services: ServicesDep, server: ServerDep) -> SpentShape:
    """Get the use of models by a server today (UTC), with estimates for running ones."""
    return SpentShape.of(await services.sampling.spent(server.user_id, server.id))
