"""A real Prometheus scrapes the program as docs/deploy.md says, and the alerts of deploy/ fire when they should."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import yaml

from tests.deploy.front import free_port
from tests.deploy.packages import unpacked
from tests.loopback import local
from tests.mcp_servers import ROOT
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE, Api, program
from tests.receiver import receiving
from webclient.domain.model import Json
from webclient.network.webhooks import new_secret

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not unpacked("promtool"), reason="Prometheus is not installed, and could not be unpacked"),
]

RULES = ROOT / "deploy" / "prometheus-alerts.yml"
CASES = ROOT / "tests" / "deploy" / "alerts_test.yml"
DOCUMENT = ROOT / "docs" / "deploy.md"
TOKEN = "a token for monitoring alone"
PAUSE = 0.1
"""Seconds between two looks at what Prometheus knows; it does not announce changes."""

SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


def promtool(*arguments: str | Path) -> None:
    """Run promtool, which must find nothing."""
    command = [unpacked("promtool") or "", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_fires_when_it_should_and_not_before(tmp_path: Path) -> None:
    promtool("check", "rules", RULES)
    rules, cases = yaml.safe_load(RULES.read_text("utf-8")), yaml.safe_load(CASES.read_text("utf-8"))
    alerts = rules["groups"][0]["rules"]
    tested = {each["alertname"] for case in cases["tests"] for each in case["alert_rule_test"] if each["exp_alerts"]}
    assert tested == {alert["alert"] for alert in alerts}
    for alert in alerts:
        # promtool would want each sentence once more.
        assert {"summary", "description"} == alert.pop("annotations").keys()
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules), "utf-8")
    (tmp_path / "cases.yml").write_text(yaml.safe_dump(cases | {"rule_files": ["rules.yml"]}), "utf-8")
    promtool("test", "rules", tmp_path / "cases.yml")


def test_the_alerts_use_metrics_that_the_document_lists() -> None:
    used = set(re.findall(r"mcp_webclient_\w+", RULES.read_text("utf-8")))
    assert used <= set(re.findall(r"mcp_webclient_\w+", DOCUMENT.read_text("utf-8")))


class Prometheus(httpx2.AsyncClient):
    """The API of a running Prometheus."""

    async def firing(self) -> set[str]:
        """Return the names of the alerts that fire."""
        found = (await self.get("/api/v1/alerts")).json()["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in found if alert["state"] == "firing"}

    async def until(self, condition: Callable[[set[str]], bool]) -> None:
        """Wait until the alerts that fire are such."""
        async with asyncio.timeout(PATIENCE):
            while not condition(await self.firing()):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE)

    async def until_scraped(self) -> None:
        """Wait until the metrics of the program are there."""
        query = {"query": "mcp_webclient_database_up"}
        async with asyncio.timeout(PATIENCE):
            while not (await self.get("/api/v1/query", params=query)).json()["data"]["result"]:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE)


@asynccontextmanager
async def prometheus(folder: Path, target: str) -> AsyncIterator[Prometheus]:
    """Run Prometheus with the configuration of the document and our alerts.

    `target` is a host and port. It scrapes each second; alerts fire at once, and for questions of any age.
    """
    [example] = re.findall(r"```yaml\n(scrape_configs:.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    (folder / "token").write_text(TOKEN + "\n", "utf-8")
    for ours, here in (("127.0.0.1:8765", target), ("/etc/prometheus/mcp-webclient.token", str(folder / "token"))):
        assert ours in example
        example = example.replace(ours, here)
    configuration: dict[str, Any] = yaml.safe_load(example)
    assert configuration.pop("rule_files") == [f"/etc/prometheus/{RULES.name}"]
    rules = re.sub(r"(?m)^( +for:) \w+$", r"\1 0s", RULES.read_text("utf-8")).replace("> 14400", "> 0")
    (folder / RULES.name).write_text(rules, "utf-8")
    every = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (folder / "prometheus.yml").write_text(
        yaml.safe_dump(configuration | {"global": every, "rule_files": [RULES.name]}), "utf-8"
    )
    promtool("check", "config", folder / "prometheus.yml")
    port = free_port()
    command = [unpacked("prometheus") or "", f"--config.file={folder / 'prometheus.yml'}"]
    command += [f"--storage.tsdb.path={folder / 'tsdb'}", f"--web.listen-address=127.0.0.1:{port}"]
    with (folder / "output").open("w", encoding="utf-8") as output:
        async with await anyio.open_process(command, stdin=None, stdout=output, stderr=output) as process:
            try:
                async with Prometheus(base_url=f"http://127.0.0.1:{port}", **local()) as client:
                    async with asyncio.timeout(PATIENCE):
                        while not await _is_ready(client):
                            assert process.returncode is None, (folder / "output").read_text("utf-8")
                            await asyncio.sleep(PAUSE)
                    yield client
            finally:
                if process.returncode is None:
                    process.terminate()
                await process.wait()


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/-/ready")).status_code == 200
    except httpx2.TransportError:
        return False


async def ask(api: Api, **more: Json) -> Json:
    """Ask the local user as a program does."""
    body = {"kind": "form", "message": "Who are you?", "requestedSchema": SCHEMA, **more}
    request: Json = await api.json("POST", "/requests", 201, json=body)
    return request


async def test_prometheus_scrapes_and_alerts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question waits, a receiver of webhooks refuses, the database goes and comes back, the program ends."""
    monkeypatch.setenv("WEBCLIENT_METRICS_TOKEN", TOKEN)
    monkeypatch.setenv("WEBCLIENT_WEBHOOK_NETWORKS", "127.0.0.0/8")
    server = PostgreSQL()
    try:
        with server.database(empty=True) as name:
            await watched(tmp_path, server, ["--database-url", server.url(name)])
    finally:
        server.close()


async def watched(folder: Path, server: PostgreSQL, options: list[str]) -> None:
    async with (
        receiving(500) as receiver,
        program(folder, options=options) as served,
        served.client() as api,
        prometheus(folder, served.base.removeprefix("http://")) as watching,
    ):
        await watching.until_scraped()
        assert await watching.firing() == set()
        await ask(api)
        webhook = {"url": receiver.url, "secret": new_secret()}
        await api.answer(await ask(api, webhook=webhook), action="decline")
        await receiver.next()
        known = {"McpWebclientQuestionWaits", "McpWebclientWebhooksFail"}
        await watching.until(lambda firing: firing == known)
        await anyio.to_thread.run_sync(server.stop)
        await watching.until(lambda firing: "McpWebclientDatabaseAway" in firing)
        assert "McpWebclientDown" not in await watching.firing()
        await anyio.to_thread.run_sync(server.start)
        await watching.until(lambda firing: firing == known)
