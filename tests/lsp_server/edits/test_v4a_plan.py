"""What a patch makes of its files: one row a target, conflicts between sections, and questions for the policy."""

from __future__ import annotations

import posixpath

import pytest

from editor_clients.lines import apply_replacements
from editor_clients.port import Replacement
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_plan import (
    PatchFile,
    PatchPlan,
    PlannedFile,
    operations,
    plan_patch,
    targets_of,
)
from lsp_server.edits.v4a_types import Patch


def resolve(path: str) -> TargetKey:
    """``link`` is another name of ``dir``, and nothing below ``/out`` may be touched."""
    if path.startswith("/out"):
        raise CoeditorError(Code.FS_DENIED, "outside", file_path="/resolved", data={"rule": "workspace"})
    return TargetKey(posixpath.normpath(path).replace("link/", "dir/"))


def parsed(*lines: str) -> Patch:
    return parse_patch("\n".join(("*** Begin Patch", *lines, "*** End Patch")))


def plan(files: dict[str, str | None], *lines: str) -> PatchPlan:
    texts = {TargetKey(name): PatchFile(text, 0o640) for name, text in files.items()}
    found = plan_patch(parsed(*lines), resolve, texts, tolerant=True)
    for row in found.files:
        assert row.target == resolve(row.path)
        source = row.from_target if row.operation == "move" else row.target
        assert row.before == (None if row.operation == "create" else files[str(source)])
        if row.before is not None and row.after is not None:
            assert apply_replacements(row.before, row.replacements) == row.after
        else:
            assert row.replacements == ()
    return found


def rows(files: dict[str, str | None], *lines: str) -> list[tuple[str, str, str | None]]:
    return [(row.operation, row.path, row.after) for row in plan(files, *lines).files]


def refusal(files: dict[str, str | None], *lines: str) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        plan(files, *lines)
    return caught.value


ADD = ("*** Add File: n", "+new")
DELETE = ("*** Delete File: a",)
UPDATE = ("*** Update File: a", "@@", "-1", "+2")
MOVE = ("*** Move File: a -> b",)


@pytest.mark.parametrize(
    ("files", "lines", "expected"),
    [
        pytest.param({}, ADD, [("create", "n", "new\n")], id="create"),
        pytest.param({}, ("*** Add File: n",), [("create", "n", "")], id="create-empty"),
        pytest.param(
            {},
            ("*** Add File: n", "+x", "\\ No newline at end of file"),
            [("create", "n", "x")],
            id="no-newline",
        ),
        pytest.param({}, ("*** Add File: n", "+x", "+y"), [("create", "n", "x\ny\n")], id="create-two-lines"),
        pytest.param({"a": "1\n"}, UPDATE, [("update", "a", "2\n")], id="update"),
        pytest.param({"a": "1\n"}, DELETE, [("delete", "a", None)], id="delete"),
        pytest.param({"a": "1\n"}, MOVE, [("move", "b", "1\n")], id="move"),
        pytest.param(
            {"a": "1\n"},
            ("*** Update File: a", "*** Move to: b"),
            [("move", "b", "1\n")],
            id="update-that-only-moves",
        ),
        pytest.param(
            {"a": "1\n"},
            ("*** Update File: a", "*** Move to: d/b", *UPDATE[1:]),
            [("move", "d/b", "2\n")],
            id="update-that-moves",
        ),
        pytest.param(
            {"a": "1\n"},
            ("*** Update File: a", "*** Move to: b", "@@", "-1", "+1"),
            [("move", "b", "1\n")],
            id="move-with-chunks-that-change-nothing",
        ),
        pytest.param(
            {"a": "1\n3\n"},
            (*UPDATE, "*** Update File: ./a", "@@", "-3", "+4"),
            [("update", "./a", "2\n4\n")],
            id="update-twice",
        ),
        pytest.param(
            {"a": "1\n"},
            (*UPDATE, "*** Update File: a", "@@", "-2", "+3"),
            [("update", "a", "3\n")],
            id="sees-earlier",
        ),
        pytest.param(
            {},
            (*ADD, "*** Update File: n", "@@", " new", "+more"),
            [("create", "n", "new\nmore\n")],
            id="add-update",
        ),
        pytest.param({"a": "1\n"}, (*UPDATE, *DELETE), [("delete", "a", None)], id="update-delete"),
        pytest.param(
            {"a": "1\n"}, (*DELETE, "*** Add File: a", "+2"), [("update", "a", "2\n")], id="delete-add"
        ),
        pytest.param(
            {"a": "1\n"},
            (*MOVE, "*** Update File: b", "@@", "-1", "+2"),
            [("move", "b", "2\n")],
            id="move-update",
        ),
        pytest.param({"a": "1\n"}, (*UPDATE, *MOVE), [("move", "b", "2\n")], id="update-move"),
        pytest.param({"a": "1\n"}, (*MOVE, "*** Delete File: b"), [("delete", "a", None)], id="move-delete"),
        pytest.param(
            {"a": "1\n"}, (*MOVE, "*** Move File: b -> c"), [("move", "c", "1\n")], id="moved-twice"
        ),
        pytest.param({}, (*ADD, "*** Move File: n -> m"), [("create", "m", "new\n")], id="add-move"),
        pytest.param(
            {"a": "1\n"},
            (*MOVE, "*** Add File: a", "+2"),
            [("update", "a", "2\n"), ("create", "b", "1\n")],
            id="move-then-another-in-its-place",
        ),
        pytest.param(
            {"a": "1\n", "b": "0\n"},
            ("*** Delete File: b", *MOVE),
            [("move", "b", "1\n")],
            id="move-onto-a-deleted",
        ),
        pytest.param(
            {"a": "1\n", "b": "2\n"},
            ("*** Move File: a -> t", "*** Move File: b -> a", "*** Move File: t -> b"),
            [("update", "a", "2\n"), ("update", "b", "1\n")],
            id="swap",
        ),
        pytest.param(
            {"a": "1\n"},
            (*ADD, "*** Delete File: n", *UPDATE),
            [("update", "a", "2\n")],
            id="add-delete-leaves-nothing",
        ),
        pytest.param(
            {"a": "1\n", "c": "3\n"},
            (*ADD, *DELETE, "*** Update File: c", "@@", "+4"),
            [("create", "n", "new\n"), ("delete", "a", None), ("update", "c", "3\n4\n")],
            id="several",
        ),
        pytest.param(
            {"a": "1\n"}, (*DELETE, "*** Add File: a"), [("update", "a", "")], id="delete-add-of-an-empty-one"
        ),
        pytest.param(
            {"a": "1\n3\n"},
            (*UPDATE, "*** Update File: a", "@@", "-3", "+4", *MOVE),
            [("move", "b", "2\n4\n")],
            id="update-twice-and-move",
        ),
        pytest.param(
            {"a": None},
            (*DELETE, "*** Add File: a", "+2"),
            [("update", "a", "2\n")],
            id="delete-of-bytes-add",
        ),
        pytest.param(
            {"a": None, "b": "2\n"},
            ("*** Move File: a -> t", "*** Move File: b -> a", "*** Move File: t -> b"),
            [("update", "a", "2\n"), ("update", "b", None)],
            id="swap-with-bytes",
        ),
        pytest.param({"a": None}, DELETE, [("delete", "a", None)], id="delete-of-bytes"),
        pytest.param({"a": None}, MOVE, [("move", "b", None)], id="move-of-bytes"),
    ],
)
def test_one_row_for_each_target(
    files: dict[str, str | None], lines: tuple[str, ...], expected: list[tuple[str, str, str | None]]
) -> None:
    assert rows(files, *lines) == expected


def only(files: dict[str, str | None], *lines: str) -> PlannedFile:
    (row,) = plan(files, *lines).files
    return row


def test_each_row_names_the_line_of_its_last_section() -> None:
    files: dict[str, str | None] = {"a": "1\n", "d": "4\n", "e": "5\n"}
    found = plan(
        files,
        *ADD,
        *UPDATE,
        "*** Delete File: d",
        "*** Move File: e -> f",
        *("*** Update File: n", "@@", "+x"),
    )
    assert [(row.path, row.line) for row in found.files] == [("n", 10), ("a", 4), ("d", 8), ("f", 9)]
    assert only({"a": "1\n"}, *UPDATE, *MOVE).line == 6
    assert only({}, *ADD).line == 2


def test_what_one_section_replaces_are_whole_lines() -> None:
    assert only({"a": "1\n"}, *UPDATE).replacements == (Replacement(0, 2, "2\n"),)
    assert only({"a": "1\n"}, *UPDATE, *MOVE).replacements == (Replacement(0, 2, "2\n"),)


def test_a_move_knows_its_source() -> None:
    row = only({"dir/a": "1\n"}, "*** Update File: link/a", "*** Move to: b", "@@", "-1", "+2")
    assert (row.target, row.path) == ("b", "b")
    assert (row.from_target, row.from_path) == ("dir/a", "link/a")
    assert (row.before, row.after, row.mode) == ("1\n", "2\n", None)


def test_a_move_onto_a_deleted_file_knows_what_was_there() -> None:
    row = only({"a": "1\n", "b": "0\n"}, "*** Delete File: b", *MOVE)
    assert row.replaced == PatchFile("0\n", 0o640)


def test_deleted_and_added_is_told_apart_from_an_update() -> None:
    row = only({"a": "1\n1\n"}, *DELETE, "*** Add File: a", "+1", "+2")
    assert row.recreated
    assert [(one.start, one.end) for one in row.replacements] == [(0, 4)]
    assert not only({"a": "1\n"}, *UPDATE).recreated


def test_a_text_that_changes_places_brings_its_mode() -> None:
    found = plan({"a": "1\n"}, *MOVE, "*** Add File: a", "+2")
    first, second = found.files
    assert (first.target, first.recreated, first.mode, first.from_target) == ("a", True, None, None)
    assert (second.target, second.mode, second.from_target, second.from_path) == ("b", 0o640, "a", "a")


def test_matches_of_a_second_section_are_in_lines_of_the_text_before() -> None:
    row = only(
        {"a": "1\n2\n3\n4\n5\n"},
        *("*** Update File: a", "@@", "-1", "+x", "+y", "+z", " 2", "@@", "-4"),
        *("*** Update File: a", "@@", " y", "@@", " 3", "-5"),
    )
    assert [match.lines for match in row.matches] == [(1, 2), (4, 4), (1, 1), (3, 5)]
    assert {match.level for match in row.matches} == {Level.EXACT}


def test_an_added_text_has_no_lines_before() -> None:
    assert only({}, *ADD, "*** Update File: n", "@@", "-new", "+old").matches == ()


@pytest.mark.parametrize(
    ("files", "lines", "code", "path", "line"),
    [
        pytest.param({"n": "0\n"}, ADD, Code.FS_ALREADY_EXISTS, "n", 2, id="add-onto-a-file"),
        pytest.param({}, (*ADD, *ADD), Code.FS_ALREADY_EXISTS, "n", 4, id="add-twice"),
        pytest.param(
            {"a": "1\n"}, (*UPDATE, "*** Add File: a"), Code.FS_ALREADY_EXISTS, "a", 6, id="update-add"
        ),
        pytest.param({"a": "1\n", "b": "2\n"}, MOVE, Code.FS_ALREADY_EXISTS, "b", 2, id="move-onto-a-file"),
        pytest.param(
            {"a": "1\n"}, ("*** Move File: a -> ./a",), Code.FS_ALREADY_EXISTS, "./a", 2, id="move-onto-self"
        ),
        pytest.param(
            {"dir/a": "1\n"},
            ("*** Update File: dir/a", "*** Move to: link/a", "@@", "-1", "+2"),
            Code.FS_ALREADY_EXISTS,
            "link/a",
            2,
            id="move-onto-self-by-another-name",
        ),
        pytest.param(
            {"a": "1\n"},
            ("*** Add File: b", *MOVE),
            Code.FS_ALREADY_EXISTS,
            "b",
            3,
            id="move-onto-an-added-file",
        ),
        pytest.param({}, UPDATE, Code.FS_NOT_FOUND, "a", 2, id="update-of-nothing"),
        pytest.param({}, DELETE, Code.FS_NOT_FOUND, "a", 2, id="delete-of-nothing"),
        pytest.param({}, MOVE, Code.FS_NOT_FOUND, "a", 2, id="move-of-nothing"),
        pytest.param({"a": "1\n"}, (*DELETE, *UPDATE), Code.FS_NOT_FOUND, "a", 3, id="delete-update"),
        pytest.param(
            {"a": "1\n"}, (*MOVE, *UPDATE), Code.FS_NOT_FOUND, "a", 3, id="move-update-of-the-old-name"
        ),
        pytest.param({"a": "1\n"}, (*DELETE, *DELETE), Code.FS_NOT_FOUND, "a", 3, id="delete-twice"),
        pytest.param({"a": None}, UPDATE, Code.FS_NOT_TEXT, "a", 2, id="update-of-bytes"),
        pytest.param(
            {"a": "1\n"}, ("*** Update File: a", "@@", "-x"), Code.FS_NO_MATCH, "a", 3, id="no-match"
        ),
        pytest.param(
            {"a": "1\n"}, ("*** Update File: a", "@@", "-1", "+1"), Code.FS_NO_CHANGE, "a", 2, id="no-effect"
        ),
        pytest.param(
            {"a": "1\n"}, ("*** Update File: a", "@@", " 1"), Code.FS_NO_CHANGE, "a", 2, id="only-context"
        ),
        pytest.param({}, ("*** Add File: /out/x",), Code.FS_DENIED, "/out/x", 2, id="denied"),
        pytest.param(
            {"a": "1\n"}, ("*** Move File: a -> /out/x",), Code.FS_DENIED, "/out/x", 2, id="move-denied"
        ),
    ],
)
def test_refused(
    files: dict[str, str | None], lines: tuple[str, ...], code: Code, path: str, line: int
) -> None:
    error = refusal(files, *lines)
    assert (error.code, error.file_path, error.data["line"]) == (code, path, line)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((*MOVE, *UPDATE), "Patch line 3: a: the section at patch line 2 took it away"),
        ((*DELETE, *UPDATE), "Patch line 3: a: the section at patch line 2 took it away"),
        (("*** Update File: x", "@@", "-1"), "Patch line 2: x: there is no such file."),
        (("*** Update File: a", "@@", " 1"), "Patch line 2: the Update of a changes nothing"),
    ],
)
def test_why_a_section_cannot_be_done_is_said(lines: tuple[str, ...], said: str) -> None:
    assert refusal({"a": "1\n"}, *lines).message.startswith(said)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((*ADD, "*** Delete File: n"), id="add-delete"),
        pytest.param((*MOVE, "*** Move File: b -> a"), id="move-and-back"),
        pytest.param((*UPDATE, "*** Update File: a", "@@", "-2", "+1"), id="update-and-back"),
        pytest.param((*DELETE, "*** Add File: a", "+1"), id="delete-and-the-same-again"),
    ],
)
def test_sections_that_take_each_other_back_are_no_change(lines: tuple[str, ...]) -> None:
    error = refusal({"a": "1\n"}, *lines)
    assert (error.code, error.data) == (Code.FS_NO_CHANGE, {"line": 2})


def test_one_bad_file_refuses_all_and_further_ones_are_told_as_well() -> None:
    error = refusal(
        {"a": "1\n", "b": "2\n", "c": "3\n"},
        *("*** Update File: a", "@@", "-1", "+x"),
        *("*** Update File: b", "@@", "-no", "+x"),
        *("*** Update File: b", "@@", "-2", "+x"),
        *("*** Update File: c", "@@", "-3", "+3"),
    )
    assert (error.code, error.file_path, error.data["line"]) == (Code.FS_NO_MATCH, "b", 7)
    (other,) = error.data["failures"]
    assert (other["code"], other["file_path"]) == ("FS_NO_CHANGE", "c")
    assert " fails for c; " in error.message
    third = refusal({}, *DELETE, "*** Delete File: b", "*** Delete File: c", *ADD)
    assert " fails for b, c; " in third.message


def test_without_tolerance_only_the_exact_text_fits() -> None:
    patch, texts = parsed(*UPDATE), {TargetKey("a"): PatchFile("1 \n")}
    assert plan_patch(patch, resolve, texts, tolerant=True).files
    with pytest.raises(CoeditorError):
        plan_patch(patch, resolve, texts, tolerant=False)


def test_warnings_of_parser_and_places_come_together() -> None:
    found = plan({"a": "1\n2\n"}, "*** Update File: a", "-2", "+3", "@@", "-1", "+0")
    assert len(found.warnings) == 2
    twice = plan(
        {"a": "1 \n2\n", "b": "1\n"},
        *("*** Update File: a", "@@", "-2", "+3", "@@", "-1", "+0"),
        *("*** Update File: b", "@@", "-1", "+2"),
        *("*** Update File: b", "*** Move to: c", "@@", " 2"),
    )
    assert [one.partition(":")[0] for one in twice.warnings] == ["Patch line 6", "Patch line 13"]


def asked(*lines: str) -> list[tuple[str, str, int]]:
    found = operations(parsed(*lines), resolve)
    assert [one.target for one in found] == [resolve(one.path) for one in found]
    return [(one.path, one.operation.value, one.line) for one in found]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(ADD, [("n", "add", 2)], id="add"),
        pytest.param(UPDATE, [("a", "update", 2)], id="update"),
        pytest.param(DELETE, [("a", "delete", 2)], id="delete"),
        pytest.param(MOVE, [("a", "move-source", 2), ("b", "move-destination", 2)], id="move"),
        pytest.param(
            ("*** Update File: a", "*** Move to: b", "@@", "-1"),
            [("a", "update", 2), ("a", "move-source", 2), ("b", "move-destination", 2)],
            id="update-and-move",
        ),
        pytest.param((*UPDATE, "*** Update File: ./a", "@@", "-2"), [("a", "update", 2)], id="update-twice"),
        pytest.param((*UPDATE, *DELETE), [("a", "update", 2), ("a", "delete", 6)], id="update-delete"),
        pytest.param((*DELETE, "*** Add File: a"), [("a", "delete", 2)], id="an-add-where-the-patch-deleted"),
        pytest.param(
            (*MOVE, "*** Update File: b", "@@", "-1", "*** Add File: a"),
            [("a", "move-source", 2), ("b", "move-destination", 2)],
            id="what-the-patch-moved",
        ),
        pytest.param(
            ("*** Delete File: b", *MOVE),
            [("b", "delete", 2), ("a", "move-source", 3)],
            id="a-move-where-it-deleted",
        ),
        pytest.param(
            (*ADD, "*** Update File: n", "@@", "-new"), [("n", "add", 2)], id="what-the-patch-added"
        ),
    ],
)
def test_operations(lines: tuple[str, ...], expected: list[tuple[str, str, int]]) -> None:
    assert asked(*lines) == expected


def test_a_path_that_does_not_resolve_is_named_as_the_patch_has_it() -> None:
    patch = parsed(*UPDATE, "*** Add File: /out/x")
    for ask in (operations, targets_of):
        with pytest.raises(CoeditorError) as caught:
            ask(patch, resolve)
        assert (caught.value.file_path, caught.value.data) == ("/out/x", {"rule": "workspace", "line": 6})
        assert caught.value.message == "outside"


def test_targets_are_named_once_by_their_first_path() -> None:
    patch = parsed("*** Move File: link/a -> b", "*** Update File: ./b", "@@", "-1", "*** Add File: dir/a")
    assert targets_of(patch, resolve) == {"dir/a": "link/a", "b": "b"}
