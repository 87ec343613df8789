"""JSON Schemas of what tools answer: successes, the edit outcome, errors.

Never: imports that cost time, or a shape that only one door has.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    Schema = dict[str, Any]


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _choice(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


STRING: Final[Schema] = {"type": "string"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
LINE: Final[Schema] = {"type": "integer", "minimum": 1}
FLAG: Final[Schema] = {"type": "boolean"}
ANYTHING: Final[Schema] = {"type": "object"}
OR_NULL: Final[Schema] = {"type": ["string", "null"]}
VERSION: Final[Schema] = {"type": ["string", "null"], "maxLength": 80}
SPANS: Final[Schema] = _array({"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2})

DIAGNOSTIC: Final = _object(
    {
        "file_path": STRING,
        "line": LINE,
        "column": LINE,
        "end_line": LINE,
        "end_column": COUNT,
        "severity": _choice("error", "warning", "information", "hint"),
        "code": OR_NULL,
        "source": OR_NULL,
        "message": STRING,
    },
    {"symbol": STRING, "fix": STRING},
)
STATE: Final = _choice("fresh", "partial", "none")
DELTA: Final = _object(
    {
        "new": _array(DIAGNOSTIC),
        "resolved": _array(DIAGNOSTIC),
        "remaining": _object({"error": COUNT, "warning": COUNT, "information": COUNT, "hint": COUNT}),
        "state": STATE,
        "source": _array(STRING),
    },
    {"notes": _array(STRING)},
)
NOTICE: Final = _object(
    {"file_path": STRING},
    {
        "moved_by": STRING,
        "mover": STRING,
        "version": VERSION,
        "lines": SPANS,
        "diff": STRING,
        "message": STRING,
        "edit_id": STRING,
        "diagnostics": DELTA,
    },
)
COMMON: Final[dict[str, Schema]] = {"warnings": _array(STRING), "notices": _array(NOTICE)}
"""What any success may carry."""


def success(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """The schema of a result object with ``ok: true`` and the fields given."""
    return _object({"ok": {"type": "boolean", "const": True}, **required}, {**(optional or {}), **COMMON})


MATCH: Final[Schema] = {
    **_object({"level": STRING, "count": COUNT, "lines": SPANS}),
    "type": ["object", "null"],
}
CHANGED_FILE: Final = _object(
    {
        "file_path": STRING,
        "operation": _choice("create", "update", "delete", "move"),
        "version": VERSION,
        "authority": _choice("editor", "disk"),
        "saved": FLAG,
        "added": COUNT,
        "removed": COUNT,
    },
    {"from": STRING, "matches": _array(MATCH), "encoding": STRING, "eol": STRING},
)
MERGED: Final = _object({"file_path": STRING, "moved_by": STRING, "lines": SPANS})
SIDE_EFFECT: Final = _object(
    {
        "name": _choice("diagnostics", "history", "refresh", "events"),
        "ok": FLAG,
        "ms": {"type": "number", "minimum": 0},
    },
    {"error": STRING},
)

READ: Final = success(
    {
        "start_line": COUNT,
        "end_line": COUNT,
        "total_lines": COUNT,
        "version": VERSION,
        "authority": _choice("editor", "disk"),
        "unsaved": FLAG,
        "unchanged": FLAG,
    },
    {
        "text": STRING,
        "encoding": STRING,
        "eol": _choice("lf", "crlf", "cr", "mixed", "none"),
        "truncated": FLAG,
        "diverged": FLAG,
        "changed_lines": SPANS,
        "image": _object(
            {"mime_type": STRING, "width": COUNT, "height": COUNT, "bytes": COUNT}, {"data": STRING}
        ),
    },
)
OUTCOME: Final = success(
    {
        "changed_files": _array(CHANGED_FILE),
        "diff": STRING,
        "bytes_changed": COUNT,
        "version_check": _choice("passed", "skipped"),
        "match": MATCH,
        "side_effects": _array(SIDE_EFFECT),
        "rewindable": FLAG,
        "warnings": _array(STRING),
        "applied": _choice("applied", "planned"),
    },
    {
        "edit_id": STRING,
        "diff_truncated": FLAG,
        "merged": _array(MERGED),
        "amended": STRING,
        "formatted": STRING,
        "diagnostics": DELTA,
    },
)
STREAM: Final = success({"stream": STRING})
PROGRESS: Final = success(
    {"files": COUNT, "chunks": COUNT, "lines": COUNT, "complete": FLAG}, {"path": STRING}
)
GLOB: Final = success(
    {"paths": _array(STRING), "truncated": FLAG, "total": {"type": ["integer", "null"], "minimum": 0}}
)
GREP: Final = success(
    {
        "matches": _array(
            _object(
                {"file_path": STRING, "line": LINE, "text": STRING},
                {
                    "before": _array(STRING),
                    "after": _array(STRING),
                    "end_line": LINE,
                    "cut_lines": _array(LINE),
                },
            )
        ),
        "truncated": FLAG,
    }
)
DIAGNOSTICS: Final = success(
    {"items": _array(DIAGNOSTIC), "state": STATE, "source": _array(STRING)}, {"truncated": FLAG}
)
HISTORY: Final = success(
    {
        "edits": _array(
            _object(
                {
                    "edit_id": STRING,
                    "time": STRING,
                    "session": STRING,
                    "scope": STRING,
                    "files": _array(CHANGED_FILE),
                    "added": COUNT,
                    "removed": COUNT,
                    "state": _choice("applied", "rewound", "unknown"),
                },
                {
                    "turn": OR_NULL,
                    "call_id": OR_NULL,
                    "tool": STRING,
                    "agent": OR_NULL,
                    "review": _choice("pending", "kept", "undone"),
                    "rewinds": STRING,
                    "origin": _choice("person", "native", "shell"),
                },
            )
        )
    }
)
DIFF: Final = success({"diff": STRING}, {"diff_truncated": FLAG})
STATUS: Final = success(
    {
        "server": ANYTHING,
        "editor": {"type": ["object", "null"]},
        "workspace_folders": _array(STRING),
        "sessions": _array(ANYTHING),
        "open_documents": _array(STRING),
        "unsaved_documents": _array(STRING),
        "language_servers": _array(ANYTHING),
        "policy": ANYTHING,
    },
    {"timings": _array(ANYTHING)},
)
HOOK: Final = success({"answer": _object({})})
LEDGER: Final = success(
    {
        "scopes": _array(
            _object(
                {
                    "session": STRING,
                    "scope": STRING,
                    "files": _array(
                        _object(
                            {
                                "file_path": STRING,
                                "time": STRING,
                                "state": _choice("present", "absent"),
                                "version": VERSION,
                                "calls": _array(
                                    _object(
                                        {
                                            "call_ids": _array(STRING),
                                            "how": _choice("read", "edit", "shown"),
                                            "lines": SPANS,
                                        }
                                    )
                                ),
                            },
                            {"total_lines": COUNT, "shown": SPANS, "read": SPANS, "may_overwrite": FLAG},
                        )
                    ),
                },
                {"last_call": STRING, "title": STRING},
            )
        ),
        "truncated": FLAG,
    }
)
REVIEW: Final = success(
    {
        "files": _array(
            _object(
                {
                    "file_path": STRING,
                    "operation": _choice("create", "update", "delete", "move"),
                    "version": VERSION,
                    "hunks": _array(
                        _object(
                            {
                                "hunk": STRING,
                                "kind": _choice("lines", "create", "delete", "move"),
                                "start_line": LINE,
                                "end_line": COUNT,
                                "before": STRING,
                                "after": STRING,
                                "added": COUNT,
                                "removed": COUNT,
                                "edits": _array(
                                    _object(
                                        {"edit_id": STRING},
                                        {
                                            "session": STRING,
                                            "scope": STRING,
                                            "turn": STRING,
                                            "agent": STRING,
                                            "tool": STRING,
                                            "time": STRING,
                                        },
                                    )
                                ),
                                "undoable": FLAG,
                            }
                        )
                    ),
                },
                {"from": STRING},
            )
        ),
        "pending": COUNT,
    }
)
LINES: Final = success(
    {
        "file_path": STRING,
        "version": VERSION,
        "text": STRING,
        "lines": _array(
            _object(
                {"start_line": LINE, "end_line": LINE, "by": _choice("agent", "person")},
                {
                    "edit_id": STRING,
                    "session": STRING,
                    "scope": STRING,
                    "turn": STRING,
                    "agent": STRING,
                    "tool": STRING,
                    "time": STRING,
                },
            )
        ),
    }
)
RECORDED: Final = success(
    {
        "roots": _array(STRING),
        "edits": _array(
            _object(
                {
                    "edit_id": STRING,
                    "time": STRING,
                    "tool": STRING,
                    "session": STRING,
                    "files": _array(
                        _object(
                            {
                                "file_path": STRING,
                                "operation": _choice("create", "update", "delete", "move"),
                                "version_before": VERSION,
                            },
                            {"from": STRING, "before": OR_NULL, "after": OR_NULL},
                        )
                    ),
                },
                {"turn": STRING, "request": ANYTHING},
            )
        ),
    }
)
REVIEW_BASE: Final = success({"file_path": STRING, "text": OR_NULL, "version": VERSION})
CONFLICTS: Final = success(
    {
        "conflicts": _array(
            _object(
                {
                    "conflict": STRING,
                    "file_path": STRING,
                    "line": COUNT,
                    "session": STRING,
                    "scope": STRING,
                    "agent": STRING,
                    "code": STRING,
                    "message": STRING,
                    "time": STRING,
                    "texts": FLAG,
                }
            )
        )
    }
)
CONFLICT_TEXTS: Final = success(
    {"conflict": STRING, "file_path": STRING, "base": OR_NULL, "current": OR_NULL, "wanted": OR_NULL}
)
DISMISSED: Final = success({"dismissed": _array(STRING)})
KEPT: Final = success({"kept": _array(STRING), "files": _array(STRING)})
HOST_READ: Final = success({"content": STRING})
HOST_WRITTEN: Final = success({})
SHELL_BEGAN: Final = success({"tracking": FLAG})
SHELL_ENDED: Final = success({"changed_files": _array(CHANGED_FILE)}, {"edit_id": STRING})
FORGOTTEN: Final = success({"forgotten": _array(STRING)})


def error_schema() -> Schema:
    """The schema of every error object."""
    from ledger.errors import Code

    return _object(
        {
            "ok": {"type": "boolean", "const": False},
            "code": _choice(*(str(code) for code in Code)),
            "message": STRING,
        },
        {"file_path": STRING, "data": ANYTHING},
    )


def closed(schema: Schema) -> Schema:
    """The same schema, refusing fields it does not name: what our own answers are tested against."""
    found = _deep(schema, closed)
    if "properties" in found:
        found["additionalProperties"] = False
    return found


def opened(schema: Schema) -> Schema:
    """The same schema with ``ok`` alone required, true or false: what clients are offered.

    A client drops a whole answer that does not fit the schema, so a field that one answer lacks, or that a
    later version adds, must not count as an error. Some hold errors against it too, and would hide ours.
    """
    found = _deep(schema, opened)
    found.pop("const", None)
    if "required" in found:
        found["required"] = [name for name in found["required"] if name == "ok"]
        if not found["required"]:
            del found["required"]
    return found


def _deep(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    found = dict(schema)
    if "properties" in found:
        found["properties"] = {name: change(each) for name, each in found["properties"].items()}
    if "items" in found:
        found["items"] = change(found["items"])
    return found
