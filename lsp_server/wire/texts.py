"""What a model or a person reads of an answer: plain text that is enough by itself.

Lines of ours open with ``[coeditor: `` wherever content stands beside them, so that neither can be taken for
the other.

Never: a fact that the object does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lsp_server.wire.error_texts import error_text, spans_text
from lsp_server.wire.problem_texts import (
    counted,
    delta_text,
    diagnostic_text,
    problem_rows,
)

__all__ = ["content_text", "diagnostic_text", "error_text", "outcome_text"]

Object = Mapping[str, Any]


def content_text(tool: str, result: Object) -> str:
    """The text of a success of ``tool``."""
    body = _BODIES.get(tool, outcome_text)(result)
    return "\n".join(part for part in (body, *asides(result)) if part)


def outcome_text(result: Object) -> str:
    """The edit outcome: what was done where, the diff, how it matched, and what it brought."""
    parts = [
        _headline(result),
        str(result.get("diff") or "").rstrip("\n"),
        _match_text(result),
        _amended_text(result),
        _formatted_text(result),
        delta_text(result.get("diagnostics")),
        _effects_text(result),
    ]
    return "\n".join(part for part in parts if part)


def _read_text(result: Object) -> str:
    image = result.get("image")
    if image:
        size = f"{image['width']} by {image['height']} pixels, " if image["width"] else ""
        return f"[coeditor: an image, {image['mime_type']}, {size}{image['bytes']} bytes]"
    first, last, total = (result.get(name, 0) for name in ("start_line", "end_line", "total_lines"))
    head = []
    if result.get("diverged"):
        head.append(
            "[coeditor: this is unsaved text in the editor, and the file on disk has changed below it]"
        )
    elif result.get("unsaved"):
        head.append("[coeditor: this is the person's unsaved text in the editor; the file on disk differs]")
    if result.get("encoding") == "unknown-8bit":
        head.append("[coeditor: the encoding is not known; only ASCII can be added]")
    if result.get("changed_lines"):
        spans = spans_text(result["changed_lines"])
        head.append(f"[coeditor: changed since you were shown the file: lines {spans}]")
    if result.get("unchanged"):
        what = f"lines {first}-{last} of {total} are" if total else "the file is empty, and is"
        return "\n".join(
            [*head, f"[coeditor: {what} unchanged since you were shown them; refresh shows them again]"]
        )
    text = str(result.get("text", ""))
    if not total:
        return "\n".join([*head, "[coeditor: the file is empty]"])
    foot = []
    if last < total:
        foot.append(f"[coeditor: lines {first}-{last} of {total}; read on with offset {last + 1}]")
    elif first > 1:
        foot.append(f"[coeditor: lines {first}-{last} of {total}]")
    return "\n".join([*head, text, *foot])


def _glob_text(result: Object) -> str:
    paths = result.get("paths") or []
    if not paths:
        return "No file fits."
    more = [f"[coeditor: the first {len(paths)}; there are more]"] if result.get("truncated") else []
    return "\n".join([*map(str, paths), *more])


def _grep_text(result: Object) -> str:
    matches = result.get("matches") or []
    if not matches:
        return "Nothing fits."
    shown: list[str] = []
    file_path = None
    for row in matches:
        if row["file_path"] != file_path:
            file_path = row["file_path"]
            shown.append(f"{chr(10) if shown else ''}{file_path}")
        before = row.get("before") or []
        lines = [*before, *str(row["text"]).split("\n"), *(row.get("after") or [])]
        shown += [f"{row['line'] - len(before) + number}\t{line}" for number, line in enumerate(lines)]
        if row.get("cut_lines"):
            numbers = ", ".join(map(str, row["cut_lines"]))
            shown.append(f"[coeditor: too long to show whole, of these only a part is here: line {numbers}]")
    if result.get("truncated"):
        shown.append(f"[coeditor: the first {len(matches)} hits; there are more]")
    return "\n".join(shown)


def _diagnostics_text(result: Object) -> str:
    items = result.get("items") or []
    source = ", ".join(map(str, result.get("source") or []))
    state = {
        "fresh": "for the current text",
        "partial": "not every language server has answered",
        "none": "no language server has answered",
    }.get(str(result.get("state")), "")
    if result.get("state") == "none" and not items:
        return f"Problems: not known ({state})"
    head = f"{counted(len(items), 'problem')} ({'; '.join(part for part in (state, source) if part)})"
    return "\n".join([head, *problem_rows(items)])


def _history_text(result: Object) -> str:
    edits = result.get("edits") or []
    if not edits:
        return "No edits."
    return "\n".join(_history_row(row) for row in edits)


def _history_row(row: Object) -> str:
    files = ", ".join(_file_text(each) for each in row.get("files") or [])
    who = " ".join(str(row[name]) for name in ("agent", "session") if row.get(name))
    scope = f"/{row['scope']}" if row.get("scope") not in (None, "main") else ""
    turn = f" turn {row['turn']}" if row.get("turn") else ""
    rewinds = f" rewinds {row['rewinds']}" if row.get("rewinds") else ""
    head = f"{row.get('edit_id')} {row.get('time')} {row.get('state')}"
    return f"{head} {files} ({who}{scope}{turn}){rewinds}"


def _diff_text(result: Object) -> str:
    diff = str(result.get("diff") or "").rstrip("\n")
    if not diff:
        return "No difference."
    if result.get("diff_truncated"):
        diff += "\n[coeditor: the diff was cut; name a file_path for all of it]"
    return diff


def _status_text(result: Object) -> str:
    lines = [
        f"{name.replace('_', ' ')}: {_inline(value)}"
        for name, value in result.items()
        if name not in ("ok", "warnings", "notices", "timings", "policy")
    ]
    policy = result.get("policy")
    if isinstance(policy, Mapping):
        lines += ["policy:", *(f"  {name}: {_inline(value)}" for name, value in policy.items())]
    rows = result.get("timings")
    return "\n".join([*lines, *_timings_text(rows)] if isinstance(rows, list) else lines)


def _timings_text(rows: list[Object]) -> list[str]:
    """Where the time of edits goes, as a table."""
    if not rows:
        return ["timings: no edit yet"]
    columns = ("mean", "p50", "p95", "max")
    lines = [f"{'timings, ms':<12}{'count':>8}" + "".join(f"{name:>10}" for name in columns)]
    for row in rows:
        values = "".join(f"{row[name]:>10.2f}" for name in columns)
        lines.append(f"{row['step']:<12}{row['count']:>8}{values}")
    return lines


def _forgotten_text(result: Object) -> str:
    forgotten = result.get("forgotten")
    if isinstance(forgotten, list | tuple):
        return "\n".join([f"Noted; {counted(len(forgotten), 'file')} forgotten.", *map(str, forgotten)])
    return f"Noted; forgotten: {_inline(forgotten)}."


def _headline(result: Object) -> str:
    files = [_file_text(row) for row in result.get("changed_files") or []]
    verb = "Planned, nothing changed yet" if result.get("applied") == "planned" else "Applied"
    named = f" as {result['edit_id']}" if result.get("edit_id") else ""
    unsaved = [row["file_path"] for row in result.get("changed_files") or [] if row.get("saved") is False]
    lines = [f"{verb}{named}: {'; '.join(files) or 'no file'}"]
    if unsaved and result.get("applied") != "planned":
        lines.append(f"saved: false - in the editor, not on disk yet: {', '.join(map(str, unsaved))}")
    if result.get("rewindable") is False and result.get("applied") == "applied":
        lines.append("This edit cannot be taken back by rewind.")
    return "\n".join(lines)


def _file_text(row: Object) -> str:
    moved = f"{row['from']} -> " if row.get("from") else ""
    counts = f" (+{row.get('added', 0)} -{row.get('removed', 0)})"
    return f"{row.get('operation', 'update')} {moved}{row.get('file_path')}{counts}"


def _match_text(result: Object) -> str:
    match = result.get("match")
    if not isinstance(match, Mapping):
        return ""
    count, level = match.get("count", 1), match.get("level", "exact")
    if count == 1 and level == "exact":
        return ""
    return f"Matched at level {level}, {counted(count, 'place')}: lines {spans_text(match.get('lines'))}"


def _formatted_text(result: Object) -> str:
    formatted = str(result.get("formatted") or "").rstrip("\n")
    return f"The editor's formatter then changed:\n{formatted}" if formatted else ""


def _amended_text(result: Object) -> str:
    amended = str(result.get("amended") or "").rstrip("\n")
    return f"The person changed your text before they agreed to it:\n{amended}" if amended else ""


def _effects_text(result: Object) -> str:
    failed = [row for row in result.get("side_effects") or [] if not row.get("ok", True)]
    return "\n".join(
        f"Side effect {row.get('name')} failed: {row.get('error', 'no reason')}" for row in failed
    )


def asides(result: Object) -> list[str]:
    """Warnings and notices, which any success may carry."""
    found = [f"[coeditor: warning: {text}]" for text in result.get("warnings") or []]
    for notice in result.get("notices") or []:
        if "diagnostics" in notice:
            found.append(f"[coeditor: notice: {notice.get('file_path')}: {notice.get('message', '')}]")
            found += [text for text in [delta_text(notice["diagnostics"])] if text]
            continue
        lines = f", lines {spans_text(notice['lines'])}" if notice.get("lines") else ""
        who = f"{notice['mover']} ({notice['moved_by']})" if notice.get("mover") else notice.get("moved_by")
        by = f", by {who}" if who else ""
        since = " since you read it" if "version" in notice or "message" not in notice else ""
        found.append(f"[coeditor: notice: {notice.get('file_path')} changed{since}{by}{lines}]")
        found += [str(notice[name]).rstrip("\n") for name in ("message", "diff") if notice.get(name)]
    return found


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_inline(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return "; ".join(_inline(each) for each in value) or "none"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


_BODIES: Final[Mapping[str, Callable[[Object], str]]] = {
    "read": _read_text,
    "glob": _glob_text,
    "grep": _grep_text,
    "diagnostics": _diagnostics_text,
    "history": _history_text,
    "diff": _diff_text,
    "status": _status_text,
    "context_event": _forgotten_text,
}
