"""What a model or a person reads of an error: code, sentence with the remedy, and all that the retry needs.

Never: an error's details left out because nobody foresaw them; what has no words here is shown by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lsp_server.wire.conflict_texts import as_text
from lsp_server.wire.problem_texts import delta_text
from lsp_server.wire.remedies import sentence_of

_MOVERS: Final[Mapping[str, str]] = {
    "user-unsaved": "the person, who has not saved yet",
    "user-saved": "the person, who saved it",
    "formatter": "the editor's formatter",
    "external": "another process",
    "unknown": "somebody unknown",
}
_QUIET: Final = frozenset(
    {"version", "seen_version", "start_line", "end_line", "total_lines", "argument", "target"}
)
"""Details that the text tells in other words, or that only programs need."""


def error_text(error: Mapping[str, Any]) -> str:
    """The text of an error object."""
    data = error.get("data")
    details = dict(data) if isinstance(data, Mapping) else {}
    lines = [f"{error.get('code')}: {sentence_of(error)}"]
    path = error.get("file_path")
    if isinstance(path, str) and path not in lines[0]:
        lines.append(f"file: {path}")
    lines += _told(details)
    lines += [_named(name, value) for name, value in details.items() if name not in _QUIET]
    return "\n".join(line for line in lines if line)


def spans_text(spans: object) -> str:
    """``1, 4-6`` from line numbers or pairs of them."""
    if not isinstance(spans, list | tuple):
        return str(spans)
    shown = []
    for span in spans[:20]:
        if isinstance(span, list | tuple) and len(span) == 2:
            shown.append(str(span[0]) if span[0] == span[1] else f"{span[0]}-{span[1]}")
        else:
            shown.append(str(span))
    more = f" and {len(spans) - 20} more" if len(spans) > 20 else ""
    return ", ".join(shown) + more


def _told(details: dict[str, Any]) -> list[str]:
    """The details that have words of their own, in the order that a reader needs them; they are taken out."""
    lines = []
    if "argument" in details:
        details.pop("expected", None)  # the message says it
    mover = details.pop("moved_by", None)
    if mover:
        lines.append(f"moved by: {_MOVERS.get(str(mover), str(mover))}")
    if details.pop("diverged", False):
        lines.append("diverged: the editor has unsaved text, and the file on disk changed below it")
    if details.pop("vanished", False):
        lines.append("vanished: the file is gone")
    if isinstance(details.get("diagnostics"), Mapping):
        lines.append(delta_text(details.pop("diagnostics")))
    diff = details.pop("diff", None)
    if isinstance(diff, str) and diff:
        cut = "\n[coeditor: the diff was cut]" if details.pop("diff_truncated", False) else ""
        lines.append("what moved since you saw it:\n" + diff.rstrip("\n") + cut)
    lines += _conflict(details.pop("conflict", None))
    below = details.pop("disk_diff", None)
    if isinstance(below, str) and below:
        lines.append("from the unsaved text to the file on disk:\n" + below.rstrip("\n"))
    hits = details.get("hits")
    if isinstance(hits, list) and hits and all(isinstance(hit, Mapping) for hit in hits):
        for name in ("hits", "lines", "count"):
            details.pop(name, None)
        lines.append("it fits at:\n" + "\n".join(_hit(hit) for hit in hits))
    shown = details.get("lines")
    if isinstance(shown, str):
        del details["lines"]
        lines.append(_excerpt(details, shown))
    nearest = details.pop("nearest", None)
    if isinstance(nearest, Mapping):
        lines.append(_nearest(nearest))
    cause = details.get("cause")
    if isinstance(cause, Mapping) and "code" in cause:
        del details["cause"]
        lines.append("cause: " + error_text(cause).replace("\n", "\n  "))
    return lines


def _conflict(found: object) -> list[str]:
    """Where both changed the same lines, both texts; else that the two keep apart."""
    if not isinstance(found, Mapping) or "overlap" not in found:
        return []
    if not found["overlap"]:
        return ["your change and theirs do not touch the same lines"]
    rows = [row for row in found.get("regions", ()) if isinstance(row, Mapping) and _is_joint(row)]
    return ["where your change meets theirs:\n" + as_text(rows)] if rows else []


def _is_joint(row: Mapping[str, Any]) -> bool:
    texts = [row[name].get("text") for name in ("base", "theirs", "yours") if name in row]
    return len(texts) == 3 and texts[0] not in texts[1:]


def _excerpt(details: Mapping[str, Any], shown: str) -> str:
    if not shown:
        return "the file is empty now" if details.get("total_lines") == 0 else ""
    where = ""
    if "start_line" in details and "end_line" in details:
        of = f" of {details['total_lines']}" if "total_lines" in details else ""
        where = f" {details['start_line']}-{details['end_line']}{of}"
    return f"the current lines{where}:\n{shown}"


def _hit(hit: Mapping[str, Any]) -> str:
    inside = hit.get("enclosing")
    names = ", ".join(map(str, inside)) if isinstance(inside, list) else str(inside or "")
    return f"  lines {spans_text([hit.get('lines')])}{f' in {names}' if names else ''}"


def _nearest(nearest: Mapping[str, Any]) -> str:
    rest = dict(nearest)
    lines = rest.pop("lines", None)
    text = rest.pop("text", None)
    found = f"the nearest lines{f' ({spans_text([lines])})' if lines else ''}:"
    if text:
        found += f"\n{text}"
    differs = rest.get("differs")
    if isinstance(differs, Mapping) and {"line", "column", "why"} <= set(differs):
        rest["differs"] = f"at line {differs['line']}, column {differs['column']}: {differs['why']}"
    told = [_named(name, value) for name, value in rest.items()]
    return "\n".join([found, *(line for line in told if line)])


def _named(name: str, value: Any) -> str:
    """``name: value``, on one line where it fits."""
    label = name.replace("_", " ")
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, bool):
        return f"{label}: {str(value).lower()}"
    if isinstance(value, Mapping):
        return f"{label}: {_inline(value)}"
    if isinstance(value, list | tuple):
        if any(isinstance(each, Mapping) for each in value):
            return f"{label}:\n" + "\n".join(f"  {_inline(each)}" for each in value)
        return f"{label}: {spans_text(value)}"
    text = str(value).rstrip("\n")
    return f"{label}:\n{text}" if "\n" in text else f"{label}: {text}"


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(part for part in (_named(*each) for each in value.items()) if part)
    return str(value)
