"""Texts that are enough by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ledger.errors import Code
from lsp_server.wire import results
from lsp_server.wire.texts import content_text, error_text
from lsp_server.wire.tools import BY_NAME
from tests.lsp_server.wire.samples import AMBIGUOUS, ANSWERS, MISS, OUTCOME, PROBLEM, READ, SEVERAL, STALE


@pytest.mark.parametrize("tool", sorted(ANSWERS))
def test_the_samples_are_what_the_schemas_say(tool: str) -> None:
    Draft202012Validator(results.closed(BY_NAME[tool].result)).validate(ANSWERS[tool])
    assert content_text(tool, ANSWERS[tool]).strip()


@pytest.mark.parametrize("error", [STALE, MISS, AMBIGUOUS, SEVERAL])
def test_the_errors_are_what_the_schema_says(error: dict[str, Any]) -> None:
    Draft202012Validator(results.closed(results.error_schema())).validate(error)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"start_line": 1, "end_line": 2, "total_lines": 2, "unsaved": False}, "2\tbeta\n3\tgamma"),
        (
            {"unsaved": False},
            "2\tbeta\n3\tgamma\n[coeditor: lines 2-3 of 9; read on with offset 4]",
        ),
        (
            {"total_lines": 3},
            "[coeditor: this is the person's unsaved text in the editor; the file on disk differs]\n"
            "2\tbeta\n3\tgamma\n[coeditor: lines 2-3 of 3]",
        ),
        (
            {"diverged": True, "start_line": 1, "total_lines": 3, "encoding": "unknown-8bit"},
            "[coeditor: this is unsaved text in the editor, and the file on disk has changed below it]\n"
            "[coeditor: the encoding is not known; only ASCII can be added]\n2\tbeta\n3\tgamma",
        ),
        (
            {"unsaved": False, "start_line": 1, "end_line": 0, "total_lines": 0, "text": ""},
            "[coeditor: the file is empty]",
        ),
        (
            {"unsaved": False, "unchanged": True, "text": None},
            "[coeditor: lines 2-3 of 9 are unchanged since you were shown them; refresh shows them again]",
        ),
        (
            {
                "unsaved": False,
                "start_line": 1,
                "total_lines": 3,
                "notices": [{"file_path": "/w/b.py", "moved_by": "user-saved", "diff": "@@\n+x\n"}],
            },
            "2\tbeta\n3\tgamma\n[coeditor: notice: /w/b.py changed since you read it, by user-saved]\n@@\n+x",
        ),
    ],
)
def test_a_read_is_its_lines_and_what_has_to_be_known_of_them(changes: dict[str, Any], text: str) -> None:
    assert content_text("read", {**READ, **changes}) == text


def test_an_edit_tells_all_that_happened() -> None:
    assert content_text("edit", OUTCOME).split("\n") == [
        "Applied as e7: update /w/a.py (+1 -2)",
        "saved: false - in the editor, not on disk yet: /w/a.py",
        "This edit cannot be taken back by rewind.",
        "diff --git a/a.py b/a.py",
        "@@ -1,2 +1 @@",
        "-x = 1",
        "-y = 2",
        "+x = 2",
        "Matched at level trailing-space, 2 places: lines 1-2, 5",
        "The editor's formatter then changed:",
        "@@ -1 +1 @@",
        "-x=2",
        "+x = 2",
        "Problems: 1 new, 1 resolved, remaining 2 warnings, 1 information (not every language server has answered yet)",
        "/w/a.py",
        "  3:5 new error [Ruff F821] Undefined name `x`",
        "/w/a.py",
        "  3:5 resolved warning [Ruff] Undefined name `x`",
        "Side effect history failed: The disk is full.",
        "[coeditor: warning: The file has CRLF line endings; they were kept.]",
        "[coeditor: notice: /w/b.py changed since you read it, by session:s2, lines 4-6]",
    ]


def test_an_edit_without_news_is_headline_and_diff() -> None:
    quiet = {
        **OUTCOME,
        "changed_files": [{**OUTCOME["changed_files"][0], "saved": True}],
        "match": {"level": "exact", "count": 1, "lines": [[1, 2]]},
        "formatted": "",
        "diagnostics": {**OUTCOME["diagnostics"], "new": [], "resolved": [], "state": "none", "notes": []},
        "side_effects": [],
        "rewindable": True,
        "warnings": [],
        "notices": [],
    }
    assert content_text("edit", quiet) == "Applied as e7: update /w/a.py (+1 -2)\n" + OUTCOME["diff"].rstrip()


def test_a_plan_is_not_taken_for_a_change() -> None:
    planned = {**OUTCOME, "applied": "planned", "match": None}
    del planned["edit_id"]
    assert content_text("apply_patch", planned).startswith("Planned, nothing changed yet: update /w/a.py")
    assert "saved: false" not in content_text("apply_patch", planned)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("glob", "/w/a.py\n/w/b.py\n[coeditor: the first 2; there are more]"),
        (
            "grep",
            "/w/a.py\n2\timport y\n3\tx = 1\n4\t\n9\tx = 2\n\n/w/b.py\n1\tx\n"
            "[coeditor: the first 3 hits; there are more]",
        ),
        (
            "diagnostics",
            "1 problem (for the current text; ruff)\n/w/a.py\n  3:5 error [Ruff F821] Undefined name `x`",
        ),
        (
            "history",
            "e7 2026-01-02T03:04:05Z applied move /w/old.py -> /w/a.py (+1 -2) (codex s1/sub turn t2) rewinds e5",
        ),
        ("diff", OUTCOME["diff"] + "[coeditor: the diff was cut; name a file_path for all of it]"),
        (
            "status",
            "server: version 0.1, pid 7, headless true\neditor: none\nworkspace folders: /w\n"
            "sessions: session s1, agent codex\nopen documents: none\nunsaved documents: none\n"
            "language servers: name ruff, running true\npolicy:\n  read_first: true",
        ),
        ("context_event", "Noted; 1 file forgotten.\n/w/a.py"),
    ],
)
def test_the_other_tools_say_what_they_found(tool: str, text: str) -> None:
    assert content_text(tool, ANSWERS[tool]) == text


@pytest.mark.parametrize(
    ("tool", "answer", "text"),
    [
        ("glob", {"ok": True, "paths": [], "truncated": False, "total": 0}, "No file fits."),
        ("grep", {"ok": True, "matches": [], "truncated": False}, "Nothing fits."),
        ("history", {"ok": True, "edits": []}, "No edits."),
        ("diff", {"ok": True, "diff": ""}, "No difference."),
        (
            "diagnostics",
            {"ok": True, "items": [], "state": "none", "source": []},
            "Problems: not known (no language server has answered)",
        ),
        ("context_event", {"ok": True, "forgotten": []}, "Noted; 0 files forgotten."),
    ],
)
def test_nothing_is_said_too(tool: str, answer: dict[str, Any], text: str) -> None:
    assert content_text(tool, answer) == text


def test_long_lists_of_problems_are_cut_and_counted() -> None:
    found = content_text("diagnostics", {**ANSWERS["diagnostics"], "items": [PROBLEM] * 70})
    assert found.split("\n")[-1] == "and 20 more"
    assert len(found.split("\n")) == 53


def test_a_stale_edit_is_told_what_moved_and_the_lines_as_they_are() -> None:
    assert error_text(STALE).split("\n") == [
        "FS_STALE_VERSION: /w/a.py changed since you read it. Adapt the edit.",
        "moved by: the person, who saved it",
        "diverged: the editor has unsaved text, and the file on disk changed below it",
        "what moved since you saw it:",
        "@@ -1 +1 @@",
        "-x = 1",
        "+x = 3",
        "[coeditor: the diff was cut]",
        "the current lines 1-2 of 2:",
        "1\tx = 3",
        "2\ty = 2",
    ]


def test_a_miss_shows_the_nearest_lines_and_how_they_differ() -> None:
    assert error_text(MISS).split("\n") == [
        "FS_NO_MATCH: old_string is not in the file. Copy old_string from the lines shown, without line numbers, "
        "and send the edit again.",
        "file: /w/a.py",
        "the nearest lines (4-5):",
        "4\tx = 1",
        "5\ty",
        "differs: a tab where 4 blanks were sent",
        "reason: miscopied",
        "enclosing: class A, def f",
    ]


def test_a_difference_that_is_located_is_told_in_a_sentence() -> None:
    differs = {"line": 4, "column": 2, "why": "the file has a tab", "sent": " ", "file": "\t"}
    data = {"nearest": {"lines": [4, 4], "differs": differs}}
    assert (
        error_text({**MISS, "data": data}).split("\n")[-1]
        == "differs: at line 4, column 2: the file has a tab"
    )


def test_a_wrong_argument_is_told_once() -> None:
    data = {"argument": "limit", "expected": "a whole number"}
    error = {"code": "INVALID_ARGUMENT", "message": "limit must be a whole number. Send one.", "data": data}
    assert error_text(error) == "INVALID_ARGUMENT: limit must be a whole number. Send one."


def test_an_ambiguous_match_names_the_lines() -> None:
    assert "lines: 3, 9-10" in error_text(AMBIGUOUS).split("\n")
    hits = [{"lines": [3, 3]}, {"lines": [9, 10], "enclosing": ["class A", "def f"]}]
    told = error_text({**AMBIGUOUS, "data": {"lines": [3, 9], "count": 2, "hits": hits}}).split("\n")
    assert told[-3:] == ["it fits at:", "  lines 3", "  lines 9-10 in class A, def f"]


def test_a_failed_transaction_tells_its_cause_whole() -> None:
    lines = error_text(SEVERAL).split("\n")
    assert lines[1] == "cause: FS_STALE_VERSION: /w/a.py changed since you read it. Adapt the edit."
    assert "  2\ty = 2" in lines
    assert "rolled back: true" in lines
    assert lines[-2:] == ["files:", "  file path: /w/c.py; lines: 1-2; moved by: external"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
DETAILS = st.dictionaries(
    st.sampled_from(["lines", "diff", "nearest", "cause", "moved_by", "reason", "version", "hits", "odd"]),
    JSON,
)


@given(st.sampled_from(list(Code)), st.text(max_size=20), DETAILS)
def test_any_error_has_a_text_with_code_and_message(code: Code, message: str, data: dict[str, Any]) -> None:
    text = error_text({"ok": False, "code": str(code), "message": message, "data": data})
    assert text.startswith(f"{code}: {message.strip()}")
