"""The answers that need no server, in every era."""

from __future__ import annotations

from typing import Any

import mcp_types
import pytest
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from lsp_server.wire import handshake
from lsp_server.wire.clients import CLIENTS, client_of
from lsp_server.wire.handshake import HandshakeState, answer
from lsp_server.wire.tools import INSTRUCTIONS, TOOLS

NEWEST = "2026-07-28"
OLD_ERAS = pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
LISTS = pytest.mark.parametrize(
    ("method", "field"),
    [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ],
)


def envelope(name: str | None = "probe", version: str = NEWEST) -> dict[str, Any]:
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    if name is not None:
        meta["io.modelcontextprotocol/clientInfo"] = {"name": name, "version": "1"}
    return {"_meta": meta}


def request(method: str, params: dict[str, Any] | None = None, request_id: object = 1) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def initialize(version: str, name: str = "probe") -> dict[str, Any]:
    info = {"name": name, "version": "1"}
    return request(
        "initialize", {"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": info}
    )


def result_of(message: dict[str, Any], state: HandshakeState) -> dict[str, Any]:
    found = answer(message, state)
    assert found is not None
    assert found["jsonrpc"] == "2.0"
    assert found["id"] == message["id"]
    result: dict[str, Any] = found["result"]
    return result


def test_we_know_the_versions_that_the_sdk_knows() -> None:
    assert handshake.HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert handshake.ENVELOPE_VERSIONS == MODERN_PROTOCOL_VERSIONS


@OLD_ERAS
def test_initialize_agrees_to_every_version_of_the_older_era(version: str) -> None:
    state = HandshakeState()
    result = result_of(initialize(version, "someone"), state)
    methods.serialize_server_result("initialize", version, result)
    assert result["protocolVersion"] == version
    assert result["instructions"] == INSTRUCTIONS
    assert result["serverInfo"]["name"] == "coeditor"
    assert "resultType" not in result
    assert state.to_hello() == {
        "protocolVersion": version,
        "clientInfo": {"name": "someone", "version": "1"},
        "capabilities": {"roots": {}},
    }


@pytest.mark.parametrize("asked", ["2030-01-01", "1", NEWEST])
def test_initialize_offers_its_newest_version_for_one_it_does_not_know(asked: str) -> None:
    assert result_of(initialize(asked), HandshakeState())["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 3}])
def test_initialize_without_a_version_is_a_protocol_error(params: dict[str, Any] | None) -> None:
    found = answer(request("initialize", params), HandshakeState())
    assert found is not None
    assert found["error"]["code"] == handshake.INVALID_PARAMS


@OLD_ERAS
@LISTS
def test_lists_of_the_older_era_fit_the_protocol(version: str, method: str, field: str) -> None:
    state = HandshakeState()
    answer(initialize(version), state)
    result = result_of(request(method), state)
    assert isinstance(result[field], list)
    if (method, version) in methods.SERVER_RESULTS:
        methods.serialize_server_result(method, version, result)
    assert not set(result) & {"ttlMs", "cacheScope", "resultType", "_meta"}


@LISTS
def test_lists_of_the_newer_era_fit_the_protocol(method: str, field: str) -> None:
    result = result_of(request(method, envelope()), HandshakeState())
    shaped = methods.serialize_server_result(method, NEWEST, result)
    assert isinstance(shaped[field], list)
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "coeditor"


def test_discover_says_what_the_newer_era_asks_for() -> None:
    state = HandshakeState()
    result = result_of(request("server/discover", envelope("claude-code"), "probe-1"), state)
    found = mcp_types.DiscoverResult.model_validate(
        methods.serialize_server_result("server/discover", NEWEST, result)
    )
    assert found.supported_versions == [NEWEST]
    assert found.instructions == INSTRUCTIONS
    assert state.client.agent == "claude-code"
    assert state.enveloped


def test_a_version_of_the_newer_era_that_nobody_knows_is_refused_with_those_we_speak() -> None:
    found = answer(request("tools/list", envelope(version="2031-01-01")), HandshakeState())
    assert found is not None
    assert found["error"]["code"] == mcp_types.UNSUPPORTED_PROTOCOL_VERSION
    data = mcp_types.UnsupportedProtocolVersionErrorData.model_validate(found["error"]["data"])
    assert data.requested == "2031-01-01"
    assert set(data.supported) == {*HANDSHAKE_PROTOCOL_VERSIONS, NEWEST}


def test_a_client_may_turn_back_to_the_older_era() -> None:
    state = HandshakeState()
    answer(request("server/discover", envelope()), state)
    assert result_of(initialize("2025-11-25"), state)["protocolVersion"] == "2025-11-25"
    assert not state.enveloped


@pytest.mark.parametrize("name", [*CLIENTS, "somebody-else"])
def test_output_schemas_go_to_clients_that_are_given_structure(name: str) -> None:
    state = HandshakeState()
    answer(initialize("2025-06-18", name), state)
    rows = result_of(request("tools/list"), state)["tools"]
    assert [row["name"] for row in rows] == [tool.name for tool in TOOLS]
    assert all(("outputSchema" in row) is (name == "somebody-else") for row in rows)


@pytest.mark.parametrize(
    "message",
    [
        request("tools/call", {"name": "read"}),
        request("resources/read", {"uri": "x:"}),
        request("no/such"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "method": 3},
        {},
    ],
)
def test_what_needs_a_server_or_no_answer_is_left_alone(message: dict[str, Any]) -> None:
    assert answer(message, HandshakeState()) is None


def test_a_call_tells_about_its_client_too() -> None:
    state = HandshakeState()
    assert answer(request("tools/call", {"name": "read", **envelope("copilot-cli")}), state) is None
    assert state.client.agent == "copilot"
    assert state.enveloped


def test_ping_is_answered_with_nothing() -> None:
    assert result_of(request("ping", None, 0), HandshakeState()) == {}


@pytest.mark.parametrize("hello", [{}, {"clientInfo": "x", "capabilities": [], "protocolVersion": 1}])
def test_a_hello_that_tells_nothing_reads_as_an_unknown_client(hello: dict[str, Any]) -> None:
    state = HandshakeState.from_hello(hello)
    assert state.client.structured
    assert state.client.agent is None


def test_a_hello_brings_the_state_over() -> None:
    state = HandshakeState()
    answer(request("tools/list", envelope("opencode")), state)
    assert HandshakeState.from_hello(state.to_hello()).to_hello() == state.to_hello()


@pytest.mark.parametrize("info", [None, {}, {"name": 3}, {"name": ""}])
def test_a_client_without_a_name_is_given_everything(info: dict[str, Any] | None) -> None:
    assert client_of(info).structured
    assert client_of(info).agent is None
