"""The syntax guard: an edit after which a file does not parse any more says so before anything is written.

Only what parsed before can break; a new file that does not parse is told of and never refused. A rewind brings
back what was there, and is not looked at.

Never: I/O, or a change of the plan's texts.
"""

from __future__ import annotations

from dataclasses import replace

from editor_clients.lines import LineIndex
from ledger.errors import Code, CoeditorError
from lsp_server.edits.syntax import SyntaxProblem, language_of, largest_of, problem_in
from lsp_server.outcomes import Plan, Planned
from lsp_server.reading import show_window
from lsp_server.settings import Settings

_AROUND = 3
_SHOWN = 1_200
"""Characters of the lines around a problem that are shown."""


def guarded(settings: Settings, plan: Plan) -> Plan:
    """The plan, with a warning for each file that would not parse any more.

    Errors: INVALID_ARGUMENT with ``data.reason`` ``syntax``, where ``syntax_guard`` is ``refuse``.
    """
    if settings.syntax_guard == "off" or plan.puts_back:
        return plan
    notes: list[str] = []
    failures: list[CoeditorError] = []
    for one in plan.files:
        after = one.change.after
        language = language_of(one.path)
        if after is None or language is None or (one.change.before and one.change.before.text == after):
            continue
        if len(after) > largest_of(language):
            notes.append(f"{one.path} is too large for the syntax guard, which did not look at it.")
            continue
        problem = problem_in(language, after)
        if problem is None:
            continue
        before = one.change.before if language_of(one.from_path or one.path) == language else None
        if before is None:
            notes.append(f"{one.path} does not parse: {problem}.")
        elif problem_in(language, before.text) is None and len(before.text) <= largest_of(language):
            notes.append(f"{one.path} parsed before this edit and does not any more: {problem}.")
            failures.append(_broken(one, after, problem))
    if failures and settings.syntax_guard == "refuse":
        first, *others = failures
        if others:
            first.data["failures"] = [error.to_object() for error in others]
        raise first
    return replace(plan, warnings=(*plan.warnings, *notes)) if notes else plan


def _broken(one: Planned, after: str, problem: SyntaxProblem) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"{one.path} parses now and would not after this edit, at {problem}. Nothing was changed; correct the new "
        "text, or make the whole change in one edit.",
        file_path=one.path,
        data={
            "reason": "syntax",
            "language": problem.language,
            "line": problem.line,
            "column": problem.column,
            "problem": problem.message,
            "after": _lines_around(after, problem.line),
        },
    )


def _lines_around(text: str, line: int) -> str:
    """Numbered lines of a text that was not written."""
    index = LineIndex(text)
    first = max(1, min(line, index.line_count) - _AROUND)
    return show_window(index, first, 2 * _AROUND + 1, _SHOWN).text
