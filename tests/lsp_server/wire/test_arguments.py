"""Decoding of what callers send."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ledger.errors import Code, CoeditorError
from lsp_server.wire.arguments import decode_arguments
from lsp_server.wire.params import Tool
from lsp_server.wire.tools import BY_NAME, TOOLS


def refused(tool: str, arguments: object) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        decode_arguments(tool, arguments)
    assert caught.value.code is Code.INVALID_ARGUMENT
    return caught.value


def test_what_is_missing_is_named_in_quotes_with_an_example() -> None:
    told = refused("rewind", {}).message
    assert told.startswith("rewind needs 'to', a string: edit id, turn or session")
    assert '{"to": "e' in told
    assert refused("edit", {"new_string": "x"}).message.startswith(
        "edit needs 'file_path', a path as a string"
    )


@pytest.mark.parametrize(
    ("tool", "sent", "decoded"),
    [
        (
            "read",
            {"file_path": "a"},
            {"file_path": "a", "offset": 1, "limit": 2000, "refresh": False, "changed_only": False},
        ),
        (
            "edit",
            {"file_path": "a", "old_string": "x", "new_string": ""},
            {"file_path": "a", "old_string": "x", "new_string": "", "replace_all": False},
        ),
        (
            "edit",
            {"file_path": "a", "start_line": 2, "end_line": 2, "new_string": "y", "old_string": None},
            {"file_path": "a", "new_string": "y", "replace_all": False, "start_line": 2, "end_line": 2},
        ),
        ("write", {"file_path": "a", "content": ""}, {"file_path": "a", "content": ""}),
        ("history", None, {"limit": 50}),
        ("history", {"limit": 3.0, "file_path": None}, {"limit": 3}),
        ("status", {"wait_for_previous": True}, {"timings": False}),
        ("glob", {"pattern": "*"}, {"pattern": "*", "limit": 200}),
        (
            "grep",
            {"pattern": "x", "context": 0},
            {"pattern": "x", "context": 0, "limit": 200, "multiline": False},
        ),
        ("rewind", {"to": "e1"}, {"to": "e1", "dry_run": False}),
        ("apply_patch", {"patch": ""}, {"patch": "", "validate_only": False}),
        (
            "context_event",
            {"event": "contextEvicted", "call_ids": ["a"]},
            {"event": "contextEvicted", "call_ids": ["a"], "all": False},
        ),
        ("context_event", {"event": "scopeStarted"}, {"event": "scopeStarted", "all": False}),
        (
            "edit_notebook",
            {"file_path": "n", "mode": "insert", "new_source": ""},
            {"file_path": "n", "mode": "insert", "new_source": ""},
        ),
    ],
)
def test_defaults_are_filled_and_what_is_left_out_is_not_there(
    tool: str, sent: object, decoded: dict[str, Any]
) -> None:
    assert decode_arguments(tool, sent) == decoded
    assert decode_arguments(tool, decoded) == decoded


@pytest.mark.parametrize(
    ("tool", "sent", "argument"),
    [
        ("read", {}, "file_path"),
        ("read", {"file_path": None}, "file_path"),
        ("read", {"file_path": 3}, "file_path"),
        ("read", {"file_path": " "}, "file_path"),
        ("read", {"file_path": "a\0b"}, "file_path"),
        ("read", {"file_path": ["a"]}, "file_path"),
        ("read", {"file_path": "a", "offset": 0}, "offset"),
        ("read", {"file_path": "a", "limit": 0}, "limit"),
        ("read", {"file_path": "a", "limit": -1}, "limit"),
        ("read", {"file_path": "a", "limit": "10"}, "limit"),
        ("read", {"file_path": "a", "limit": 1.5}, "limit"),
        ("read", {"file_path": "a", "limit": float("inf")}, "limit"),
        ("read", {"file_path": "a", "limit": float("nan")}, "limit"),
        ("read", {"file_path": "a", "limit": 10**30}, "limit"),
        ("read", {"file_path": "a", "limit": True}, "limit"),
        ("read", {"file_path": "a", "refresh": "true"}, "refresh"),
        ("read", {"file_path": "a", "refresh": 1}, "refresh"),
        ("write", {"file_path": "a"}, "content"),
        ("write", {"file_path": "a", "content": None}, "content"),
        ("write", {"file_path": "a", "content": {"text": "x"}}, "content"),
        ("write", {"file_path": "a", "content": "half \ud83d"}, "content"),
        ("edit", {"file_path": "a", "new_string": "x"}, "old_string"),
        ("edit", {"file_path": "a", "old_string": "x"}, "new_string"),
        ("edit", {"file_path": "a", "old_string": "x", "new_string": None}, "new_string"),
        ("edit", {"file_path": "a", "old_string": "x", "new_string": "y", "start_line": 1}, "start_line"),
        ("edit", {"file_path": "a", "new_string": "y", "start_line": 1}, "end_line"),
        ("edit", {"file_path": "a", "new_string": "y", "end_line": 1}, "start_line"),
        ("edit", {"file_path": "a", "new_string": "y", "start_line": 3, "end_line": 2}, "end_line"),
        (
            "edit",
            {"file_path": "a", "new_string": "y", "start_line": 1, "end_line": 1, "replace_all": True},
            "replace_all",
        ),
        (
            "edit",
            {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "all"},
            "replace_all",
        ),
        ("diagnostics", {"severity": "bad"}, "severity"),
        ("context_event", {"event": "forgotten"}, "event"),
        ("context_event", {"event": "contextEvicted"}, "all"),
        ("context_event", {"event": "contextEvicted", "file_paths": "a"}, "file_paths"),
        ("context_event", {"event": "contextEvicted", "file_paths": ["a", 1]}, "file_paths"),
        ("edit_notebook", {"file_path": "n", "new_source": "x"}, "cell_id"),
        ("edit_notebook", {"file_path": "n", "cell_id": "#1"}, "new_source"),
        ("edit_notebook", {"file_path": "n", "mode": "delete"}, "cell_id"),
        (
            "edit_notebook",
            {"file_path": "n", "mode": "delete", "cell_id": "#1", "new_source": "x"},
            "new_source",
        ),
    ],
)
def test_a_refusal_names_the_argument_and_what_was_expected(tool: str, sent: object, argument: str) -> None:
    error = refused(tool, sent)
    assert error.data["argument"] == argument
    assert "expected" in error.data
    assert argument in error.message
    error.message.encode("utf-8")


@pytest.mark.parametrize(
    ("tool", "name", "near"),
    [
        ("read", "filePath", "file_path"),
        ("edit", "oldString", "old_string"),
        ("edit", "new_str", "new_string"),
        ("write", "contents", "content"),
        ("history", "max", "file_path, limit"),
        ("status", "verbose", "timings"),
    ],
)
def test_an_unknown_argument_is_refused_with_the_nearest(tool: str, name: str, near: str) -> None:
    error = refused(tool, {name: "x"})
    assert error.data["argument"] == name
    assert near in error.message


@pytest.mark.parametrize("sent", ["file_path=a", 3, ["a"], True])
def test_arguments_that_are_no_object_are_refused(sent: object) -> None:
    assert "object" in refused("read", sent).message


def test_an_unknown_tool_is_refused_with_the_nearest() -> None:
    assert "apply_patch" in refused("applypatch", {}).message


def decoded_or_code(tool: str, sent: object) -> dict[str, Any] | Code:
    try:
        return decode_arguments(tool, sent)
    except CoeditorError as error:
        return error.code


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    tool = draw(st.sampled_from(TOOLS))
    sent = {
        param.name: draw(st.sampled_from(["a", "read", 1, 2.0, True, ["x"], *param.choices]) | JSON)
        for param in tool.params
        if draw(st.booleans())
    }
    return tool, sent


@given(calls())
def test_whatever_is_sent_is_decoded_to_what_the_schema_says_or_refused(
    call: tuple[Tool, dict[str, Any]],
) -> None:
    tool, sent = call
    decoded = decoded_or_code(tool.name, sent)
    if not isinstance(decoded, dict):
        assert decoded is Code.INVALID_ARGUMENT
        return
    Draft202012Validator(BY_NAME[tool.name].input_schema()).validate(decoded)
    assert decode_arguments(tool.name, decoded) == decoded
    assert set(decoded) >= {param.name for param in tool.params if param.required}
