"""The table of editors: each cell of a tested editor names the tests that show it, and they are there.

Never: a test itself.
"""

from __future__ import annotations

import re
from itertools import chain

import pytest

from tests.house.readme import ROOT, section, tables

VSCODE, EMACS, PLAIN = "tests/e2e/vscode", "tests/e2e/test_emacs.py", "tests/e2e/test_serve_plain_client.py"
FEATURES, ASKS = "tests/e2e/test_neovim_features.py", "tests/e2e/test_neovim_asks.py"
SAVING, ASKING = "tests/e2e/test_saving.py", "tests/e2e/test_asking.py"
OPERATIONS = "tests/editor_clients/test_file_operations.py"

TESTS: dict[str, list[list[str]]] = {
    "VS Code, extension": [
        [f"{VSCODE}/test_unsaved.py::test_unsaved_typing_is_told_kept_and_built_upon"],
        [
            f"{VSCODE}/test_unsaved.py::test_unsaved_typing_is_told_kept_and_built_upon",
            f"{VSCODE}/test_texts.py::test_cursor_fold_and_breakpoint_stay_with_their_text",
        ],
        [f"{VSCODE}/test_unsaved.py::test_closed_file_changes_on_disk_without_a_tab"],
        [f"{VSCODE}/test_unsaved.py::test_saved_file_stays_saved"],
        [
            f"{VSCODE}/test_file_operations.py::test_moved_edited_and_deleted_in_one_patch",
            f"{VSCODE}/test_file_operations.py::test_imports_follow_a_rename",
        ],
        [f"{VSCODE}/test_asking.py::test_each_answer_of_the_persons_counts"],
        [f"{VSCODE}/test_asking.py::test_the_person_types_on_and_a_settled_question_goes"],
        [
            f"{VSCODE}/test_review_views.py::test_changes_are_seen_kept_and_undone",
            f"{VSCODE}/test_views.py::test_status_bar_counts_agents_and_the_diff_shows_the_last_edit",
        ],
    ],
    "Neovim, plugin": [
        ["tests/e2e/test_neovim.py::test_typing_is_safe_and_the_edit_is_one_undo_step"],
        ["tests/e2e/test_neovim.py::test_typing_is_safe_and_the_edit_is_one_undo_step"],
        ["tests/e2e/test_neovim.py::test_typing_is_safe_and_the_edit_is_one_undo_step"],
        [f"{FEATURES}::test_the_formatter_runs_and_is_told_apart"],
        [
            "tests/e2e/test_neovim_files.py::test_a_rename_takes_the_buffer_along_and_imports_follow",
            "tests/e2e/test_neovim_files.py::test_a_move_with_edits_and_a_delete_in_one_patch",
        ],
        [f"{ASKS}::test_a_no_keeps_the_typing_and_a_yes_is_one_edit"],
        [f"{ASKS}::test_the_person_types_on_and_a_settled_question_goes"],
        [f"{FEATURES}::test_windows_health_and_status_line"],
    ],
    "Emacs, eglot": [
        *[[f"{EMACS}::test_typing_counts_and_edits_are_one_undo_step_in_the_buffer"]] * 4,
        [f"{EMACS}::test_an_open_file_is_deleted_and_moved_on_disk_and_its_buffer_stays"],
        [f"{EMACS}::test_the_person_is_asked_in_the_minibuffer"],
        [f"{EMACS}::test_the_person_is_asked_in_the_minibuffer"],
        [],  # it has neither code lenses nor a view of ours
    ],
    "any LSP client": [
        [f"{PLAIN}::test_typing_conflicts_then_both_are_in_the_buffer_and_nothing_is_saved"],
        [
            f"{PLAIN}::test_typing_conflicts_then_both_are_in_the_buffer_and_nothing_is_saved",
            f"{SAVING}::test_each_edit_is_one_undo_step_and_the_persons_steps_stay",
        ],
        ["tests/e2e/test_serve_editor.py::test_closed_files_are_changed_on_disk_and_nothing_is_opened"],
        [f"{PLAIN}::test_an_edit_of_a_clean_buffer_stays_unsaved_and_says_why"],
        [
            f"{OPERATIONS}::test_a_renamed_file_keeps_its_document_and_its_undo",
            f"{OPERATIONS}::test_a_plain_editor_that_does_not_leaves_it_to_the_disk",
        ],
        [f"{ASKING}::test_over_unsaved_text_the_person_is_asked_and_a_no_keeps_it"],
        [f"{ASKING}::test_the_question_goes_when_the_person_settles_it_otherwise"],
        [f"{PLAIN}::test_lenses_and_actions_keep_undo_and_show_what_agents_changed"],
    ],
}
[ROWS] = [table for table in tables(section("Any editor, by LSP")) if table[0][0] == next(iter(TESTS))]


def test_the_tested_editors_come_first_and_each_cell_has_its_tests() -> None:
    assert [row[0] for row in ROWS[: len(TESTS)]] == list(TESTS)
    for row in ROWS[: len(TESTS)]:
        assert len(TESTS[row[0]]) == len(row) - 1, row[0]
        for cell, tests in zip(row[1:], TESTS[row[0]], strict=True):
            assert tests or cell == "no", (row[0], cell)


@pytest.mark.parametrize("editor", TESTS)
def test_each_test_is_there(editor: str) -> None:
    for named in chain.from_iterable(TESTS[editor]):
        path, _, name = named.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), named
