"""From what a caller sent as arguments to what a tool works with.

Strict, so that a slip is told and not guessed at: a value of another type is refused, and so is a name that
no parameter has, with the nearest one that is known. Two things are lossless and taken: a whole number
written as a float, and null for a parameter that may be left out (some agents send all of them). Decoding
what was decoded changes nothing.

Never: a look at the disk, or a decision that depends on one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ledger.errors import Code, CoeditorError
from lsp_server.wire.params import LARGEST, MISSING, Param, Tool
from lsp_server.wire.tools import BY_NAME, STEPS

IGNORED: Final = frozenset({"wait_for_previous"})
"""Parameters that agents add to every tool's schema for their own use."""

_EXPECTED: Final = {
    "string": "a string",
    "path": "a path as a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "strings": "a list of strings",
    "object": "an object",
}
_EXAMPLES: Final = {
    ("rewind", "to"): ' For example: {"to": "e0a1b2c3d4e5f"}. '
    "The answer to each edit has its id, and history lists them."
}


def decode_arguments(tool: str, arguments: object) -> dict[str, Any]:
    """The arguments with defaults filled in; what may be left out and was is not there.

    Errors: INVALID_ARGUMENT, with ``data.argument`` (the parameter meant) and ``data.expected``.
    """
    known = BY_NAME.get(tool) or STEPS.get(tool)
    if known is None:
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"There is no tool {tool!r}.{did_you_mean(tool, BY_NAME)}",
            data={"expected": list(BY_NAME)},
        )
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"The arguments of {tool} must be an object, not {_kind_of(arguments)}. {_usage(known)}",
            data={"expected": "an object"},
        )
    _refuse_unknown(known, arguments)
    found: dict[str, Any] = {}
    for param in known.params:
        value = _decode(known, param, arguments.get(param.name))
        if value is not MISSING:
            found[param.name] = value
    _COMBINATIONS.get(tool, _no_check)(found)
    return found


def did_you_mean(name: object, known: Mapping[str, object] | list[str]) -> str:
    """A sentence with the nearest of ``known``, or the list of them when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:100].lower(), list(known), n=1, cutoff=0.7)
    return f" Did you mean {near[0]}?" if near else f" Known are: {', '.join(known) or 'none'}."


def _refuse_unknown(tool: Tool, arguments: Mapping[str, object]) -> None:
    names = [param.name for param in tool.params]
    for name in arguments:
        if name not in names and name not in IGNORED:
            raise _invalid(
                _printable(name),
                f"{tool.name} has no parameter {_printable(name)!r}.{did_you_mean(name, names)}",
                names,
            )


def _decode(tool: Tool, param: Param, value: object) -> Any:
    if value is None:
        if param.required:
            raise _invalid(
                param.name,
                f"{tool.name} needs '{param.name}', {_EXPECTED[param.kind]}: {_lower(param.about)}"
                f"{_EXAMPLES.get((tool.name, param.name), '')}",
                _EXPECTED[param.kind],
            )
        return param.default
    if param.kind == "integer":
        return _integer(tool, param, value)
    if param.kind == "boolean":
        return _typed(tool, param, value, isinstance(value, bool))
    if param.kind == "object":
        return _typed(tool, param, value, isinstance(value, Mapping))
    if param.kind == "strings":
        good = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
        _typed(tool, param, value, good)
        return [_text(tool, param, item) for item in value]  # type: ignore[attr-defined]
    _typed(tool, param, value, isinstance(value, str))
    return _text(tool, param, str(value))


def _integer(tool: Tool, param: Param, value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    good = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    number: int = _typed(tool, param, value, good)
    if param.minimum is not None and number < param.minimum:
        raise _invalid(
            param.name,
            f"{param.name} of {tool.name} is {number}; it must be at least {param.minimum}.",
            f"at least {param.minimum}",
        )
    return number


def _text(tool: Tool, param: Param, value: str) -> str:
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _invalid(
                param.name,
                f"{param.name} of {tool.name} has half of a surrogate pair; send whole characters.",
                "Unicode text",
            ) from None
    if param.choices and value not in param.choices:
        raise _invalid(
            param.name,
            f"{param.name} of {tool.name} is {_printable(value)!r}; it must be one of "
            f"{', '.join(param.choices)}.",
            list(param.choices),
        )
    if param.kind == "path" and (not value.strip() or "\0" in value):
        raise _invalid(
            param.name,
            f"{param.name} of {tool.name} is {'cut by a NUL character' if value.strip() else 'blank'}; "
            "send an absolute path, or one relative to the workspace folder.",
            "a path",
        )
    return value


def _typed(tool: Tool, param: Param, value: object, good: bool) -> Any:
    if good:
        return value
    expected = _EXPECTED[param.kind]
    raise _invalid(
        param.name,
        f"{param.name} of {tool.name} must be {expected}, not {_kind_of(value)}. Send {expected}.",
        expected,
    )


def _invalid(argument: str, message: str, expected: object) -> CoeditorError:
    return CoeditorError(Code.INVALID_ARGUMENT, message, data={"argument": argument, "expected": expected})


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return f"the number {value}" if abs(value) <= LARGEST else "a number out of range"
        case str():
            return f"the string {_printable(value)!r}"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"


def _printable(value: object) -> str:
    text = str(value)
    text = text if len(text) <= 40 else text[:37] + "..."
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _usage(tool: Tool) -> str:
    names = [param.name if param.required else param.name + "?" for param in tool.params]
    return f"Its parameters are {', '.join(names)}." if names else "It takes none."


def _edit(sent: dict[str, Any]) -> None:
    by_text = "old_string" in sent
    by_lines = "start_line" in sent or "end_line" in sent
    if by_text and by_lines:
        raise _invalid(
            "start_line",
            "edit takes either old_string or start_line and end_line, not both. Leave one of them out.",
            "old_string alone, or start_line and end_line",
        )
    if not by_text and not by_lines:
        raise _invalid(
            "old_string",
            "edit needs old_string, the text to replace exactly as in the file; or start_line and end_line.",
            "a string",
        )
    if by_text:
        return
    for name in ("start_line", "end_line"):
        if name not in sent:
            raise _invalid(
                name, f"edit by lines needs {name} as well; both ends are inclusive.", "a whole number"
            )
    if sent["end_line"] < sent["start_line"]:
        raise _invalid(
            "end_line",
            f"end_line {sent['end_line']} lies before start_line {sent['start_line']}; both are inclusive.",
            "at least start_line",
        )
    if sent["replace_all"]:
        raise _invalid("replace_all", "replace_all goes with old_string only. Leave it out.", False)


def _edit_notebook(sent: dict[str, Any]) -> None:
    mode = sent["mode"]
    changes_type = mode == "replace" and "cell_type" in sent
    if mode != "delete" and "new_source" not in sent and not changes_type:
        raise _invalid("new_source", f"edit_notebook needs new_source to {mode} a cell.", "a string")
    if mode == "delete" and sent.get("new_source"):
        raise _invalid(
            "new_source",
            "edit_notebook takes no new_source to delete a cell. Leave it out, or replace the cell instead.",
            "nothing",
        )
    if mode != "insert" and "cell_id" not in sent:
        raise _invalid("cell_id", f"edit_notebook needs cell_id to {mode} a cell.", "a string")


def _context_event(sent: dict[str, Any]) -> None:
    named = "call_ids" in sent or "file_paths" in sent or sent["all"]
    if sent["event"] == "contextEvicted" and not named:
        raise _invalid(
            "all",
            "contextEvicted needs what is gone: call_ids, file_paths, or all: true.",
            "call_ids, file_paths or all",
        )


def _no_check(sent: dict[str, Any]) -> None:
    return


_COMBINATIONS: Final = {"edit": _edit, "edit_notebook": _edit_notebook, "context_event": _context_event}
