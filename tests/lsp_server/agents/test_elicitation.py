"""The agent's own person is asked, in every era of MCP that can, by a real SDK client and by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types
import pytest
from mcp import Client

from lsp_server.agents.mcp import McpConnection
from lsp_server.app import App, build
from lsp_server.settings import Settings, merge
from tests.lsp_server.agents.test_mcp import in_memory

ENV = {"file_path": ".env", "content": "A=2\n"}
ALLOW, SESSION, REFUSE = "Allow Once", "Allow for This Session", "Refuse"
_PREFIX = "io.modelcontextprotocol/"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("run", "state", "config", "ws"):
        (tmp_path / name).mkdir(mode=0o700)
    for name, variable in (("run", "RUNTIME_DIR"), ("state", "STATE_HOME"), ("config", "CONFIG_HOME")):
        monkeypatch.setenv(f"XDG_{variable}", str(tmp_path / name))
    return tmp_path.resolve() / "ws"


@pytest.fixture
async def app(root: Path) -> AsyncIterator[App]:
    quiet = {"side_effects": {"diagnostics": False}, "ask_first": [".env*"], "limits": {"ask_seconds": 20}}
    app = build(str(root), settings=merge(Settings(), quiet, "user"))
    yield app
    await app.close()


class Person:
    """Answers the agent's forms."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[mcp_types.ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: Any) -> mcp_types.ElicitResult | mcp_types.ErrorData:
        assert isinstance(params, mcp_types.ElicitRequestFormParams)
        self.asked.append(params)
        answer = self.answers.pop(0)
        if isinstance(answer, mcp_types.ErrorData):
            return answer
        if answer in ("decline", "cancel"):
            return mcp_types.ElicitResult(action=answer)
        return mcp_types.ElicitResult(action="accept", content={"decision": str(answer)})


@asynccontextmanager
async def agent(app: App, root: Path, mode: Any, person: Person | None) -> AsyncIterator[Client]:
    hello = {"session": "s1", "cwd": str(root), "pid": 1, "env": {}, "mcp": {}}
    info = mcp_types.Implementation(name="Ada", version="1")
    async with Client(
        in_memory(app, hello),  # type: ignore[arg-type]
        mode=mode,
        client_info=info,
        read_timeout_seconds=20,
        elicitation_callback=person,
    ) as client:
        yield client


eras = pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])


async def call(client: Client, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, dict(arguments))
    found: dict[str, Any] = result.structured_content
    return found


@eras
async def test_what_the_person_allows_happens_once(app: App, root: Path, mode: Any) -> None:
    person = Person(ALLOW, REFUSE)
    async with agent(app, root, mode, person) as client:
        done = await call(client, "write", ENV)
        assert done["ok"], done
        assert (root / ".env").read_text() == "A=2\n"
        (asked,) = person.asked
        assert (
            asked.message == "Ada wants to change .env, which it may only do if you agree (ask_first: .env*)."
        )
        assert asked.requested_schema["properties"]["decision"]["enum"] == [ALLOW, SESSION, REFUSE]
        history = await call(client, "history", {})
        assert [row["edit_id"] for row in history["edits"]] == [done["edit_id"]]
        again = await call(client, "edit", {"file_path": ".env", "old_string": "2", "new_string": "3"})
        assert (again["code"], again["data"]["rule"]) == ("FS_DENIED", "person")
        assert len(person.asked) == 2


@eras
async def test_for_the_session_is_not_asked_again(app: App, root: Path, mode: Any) -> None:
    person = Person(SESSION)
    async with agent(app, root, mode, person) as client:
        assert (await call(client, "write", ENV))["ok"]
        assert (await call(client, "edit", {"file_path": ".env", "old_string": "2", "new_string": "3"}))["ok"]
    assert (root / ".env").read_text() == "A=3\n"


@eras
@pytest.mark.parametrize(
    ("answer", "told"),
    [(REFUSE, "no"), ("decline", "no"), ("cancel", "dismissed"), ("nonsense", "dismissed")],
)
async def test_anything_but_a_yes_changes_nothing(
    app: App, root: Path, mode: Any, answer: str, told: str
) -> None:
    person = Person(answer)
    async with agent(app, root, mode, person) as client:
        refused = await call(client, "write", ENV)
        assert (refused["code"], refused["data"]["rule"], refused["data"]["answer"]) == (
            "FS_DENIED",
            "person",
            told,
        )
        tried_again = await call(client, "write", ENV)
        assert tried_again["code"] == "FS_DENIED"
        assert len(person.asked) == 1, "a no is not asked again at once"
    assert not (root / ".env").exists()


@eras
async def test_who_offers_no_form_is_not_asked(app: App, root: Path, mode: Any) -> None:
    async with agent(app, root, mode, None) as client:
        refused = await call(client, "write", ENV)
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "protected:.env*")


async def test_a_client_that_cannot_after_all_gets_the_refusal(app: App, root: Path) -> None:
    person = Person(mcp_types.ErrorData(code=-32601, message="no"))
    async with agent(app, root, "legacy", person) as client:
        refused = await call(client, "write", ENV)
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "protected:.env*")


@eras
async def test_all_files_of_a_patch_are_one_question(app: App, root: Path, mode: Any) -> None:
    outside = root.parent / "outside.txt"
    patch = f"*** Begin Patch\n*** Add File: .env.a\n+x\n*** Add File: {outside}\n+y\n*** End Patch\n"
    person = Person(ALLOW)
    async with agent(app, root, mode, person) as client:
        assert (await call(client, "apply_patch", {"patch": patch}))["ok"]
    (asked,) = person.asked
    assert ".env.a" in asked.message
    assert str(outside) in asked.message
    assert ((root / ".env.a").read_text(), outside.read_text()) == ("x\n", "y\n")


class ByHand:
    """A client whose every message is ours."""

    def __init__(self, app: App, root: Path, **capabilities: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        hello = {"session": "s1", "cwd": str(root), "pid": 1, "env": {}}
        told = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "x"}, "capabilities": capabilities}
        self.connection = McpConnection(app, {**hello, "mcp": told}, self._take)

    async def _take(self, message: Mapping[str, Any]) -> None:
        self.sent.append(dict(message))
        self._news.set()

    def send(self, message: Mapping[str, Any]) -> None:
        self._tasks.append(asyncio.create_task(self.connection.receive({"jsonrpc": "2.0", **message})))

    def call(self, number: int, tool: str, arguments: Mapping[str, Any], **more: Any) -> None:
        params = {"name": tool, "arguments": dict(arguments), **more}
        self.send({"id": number, "method": "tools/call", "params": params})

    async def heard(self, **wanted: Any) -> dict[str, Any]:
        """The first message with these fields, which is taken out."""
        async with asyncio.timeout(20):
            while True:
                for message in self.sent:
                    if all(message.get(name) == value for name, value in wanted.items()):
                        self.sent.remove(message)
                        return message
                self._news.clear()
                await self._news.wait()


def envelope(**capabilities: Any) -> dict[str, Any]:
    return {
        _PREFIX + "protocolVersion": "2026-07-28",
        _PREFIX + "clientInfo": {"name": "x", "version": "1"},
        _PREFIX + "clientCapabilities": capabilities,
    }


async def test_a_cancelled_call_takes_its_question_back(app: App, root: Path) -> None:
    client = ByHand(app, root, elicitation={})
    client.call(1, "write", ENV)
    question = await client.heard(method="elicitation/create")
    client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
    taken_back = await client.heard(method="notifications/cancelled")
    assert taken_back["params"]["requestId"] == question["id"]
    client.send(
        {"id": question["id"], "result": {"action": "accept", "content": {"decision": ALLOW}}}
    )  # too late
    client.call(2, "history", {})
    await client.heard(id=2)
    assert not (root / ".env").exists()
    await client.connection.close()


async def test_no_answer_in_time_is_told_and_the_question_taken_back(root: Path) -> None:
    settings = merge(Settings(), {"ask_first": [".env*"], "limits": {"ask_seconds": 1}}, "user")
    app = build(str(root), settings=settings)
    client = ByHand(app, root, elicitation={"form": {}})
    client.call(1, "write", ENV)
    await client.heard(method="elicitation/create")
    await client.heard(method="notifications/cancelled")
    answer = await client.heard(id=1)
    assert answer["result"]["structuredContent"]["code"] == "FS_TIMEOUT"
    assert not (root / ".env").exists()
    await client.connection.close()
    await app.close()


async def test_only_a_client_with_forms_is_asked(app: App, root: Path) -> None:
    client = ByHand(app, root, elicitation={"url": {}})
    client.call(1, "write", ENV)
    answer = await client.heard(id=1)
    assert answer["result"]["structuredContent"]["code"] == "FS_DENIED"
    await client.connection.close()


async def test_an_answer_that_comes_twice_is_one_edit(app: App, root: Path) -> None:
    client = ByHand(app, root)
    meta = {"_meta": envelope(elicitation={})}
    (root / ".env").write_text("A=1\n")
    client.call(1, "read", {"file_path": ".env"}, **meta)
    assert (await client.heard(id=1))["result"]["resultType"] == "complete"
    change = {"file_path": ".env", "old_string": "1", "new_string": "11"}
    client.call(2, "edit", change, **meta)
    asked = (await client.heard(id=2))["result"]
    assert asked["resultType"] == "input_required"
    (name, request), *_ = asked["inputRequests"].items()
    assert (request["method"], request["params"]["mode"]) == ("elicitation/create", "form")
    assert (root / ".env").read_text() == "A=1\n"

    yes = {
        "inputResponses": {name: {"action": "accept", "content": {"decision": ALLOW}}},
        "requestState": asked["requestState"],
    }
    for number in (3, 4):
        client.call(number, "edit", change, **meta, **yes)
    first, second = [(await client.heard(id=number))["result"] for number in (3, 4)]
    assert first["structuredContent"] == second["structuredContent"]
    assert first["structuredContent"]["ok"]
    client.call(5, "edit", change, **meta, **yes)  # and again, long after
    assert (await client.heard(id=5))["result"] == first
    assert (root / ".env").read_text() == "A=11\n"
    await client.connection.close()


@pytest.mark.parametrize("what", ["arguments", "state"])
async def test_an_answer_belongs_to_its_call(app: App, root: Path, what: str) -> None:
    client = ByHand(app, root)
    meta = {"_meta": envelope(elicitation={})}
    client.call(1, "write", ENV, **meta)
    asked = (await client.heard(id=1))["result"]
    yes = {
        "inputResponses": {"decision": {"action": "accept", "content": {"decision": ALLOW}}},
        "requestState": "made up" if what == "state" else asked["requestState"],
    }
    sent = ENV if what == "state" else {**ENV, "file_path": ".env.other"}
    client.call(2, "write", sent, **meta, **yes)
    assert (await client.heard(id=2))["result"]["resultType"] == "input_required"
    assert not (root / ".env").exists()
    assert not (root / ".env.other").exists()
    await client.connection.close()
