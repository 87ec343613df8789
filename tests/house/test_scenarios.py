"""What happened to people with other tools, as short sentences, and the tests that show that it does not happen here.

Never: a test itself; that each one named is there is all that is checked.
"""

from __future__ import annotations

import re

import pytest

from tests.house.readme import ROOT

VIEWS, SERVE = "tests/e2e/test_serve_views.py", "tests/e2e/test_serve_editor.py"
DOCUMENTS, ATTACHED = "tests/e2e/test_serve_documents.py", "tests/editor_clients/test_attached.py"
ASKING, SAVING, CONFLICTS = (
    "tests/e2e/test_asking.py",
    "tests/e2e/test_saving.py",
    "tests/e2e/test_conflicts.py",
)
REVIEWED = "tests/lsp_server/tools/test_after_review.py"
VSCODE, NEOVIM = "tests/e2e/vscode", "tests/e2e/test_neovim"
TOOLS, DISK = "tests/lsp_server/tools", "tests/editor_clients/test_transaction"
PROBLEMS, SERVERS = (
    "tests/lsp_server/effects/test_diagnostics.py",
    "tests/editor_clients/test_language_servers.py",
)

SCENARIOS = {
    "typing that was not saved is gone after an agent's edit": [
        f"{SERVE}::test_unseen_typing_is_a_conflict_that_shows_what_was_typed",
        f"{VSCODE}/test_unsaved.py::test_unsaved_typing_is_told_kept_and_built_upon",
        f"{NEOVIM}.py::test_typing_is_safe_and_the_edit_is_one_undo_step",
        "tests/e2e/test_emacs.py::test_typing_counts_and_edits_are_one_undo_step_in_the_buffer",
    ],
    "the edit lands on disk only, and a changed buffer goes on showing the old text": [
        f"{SERVE}::test_unseen_typing_is_a_conflict_that_shows_what_was_typed",
        f"{VSCODE}/test_unsaved.py::test_unsaved_typing_is_told_kept_and_built_upon",
        f"{SAVING}::test_unsaved_text_is_edited_where_it_is_and_the_disk_is_left",
    ],
    "an edit of a document without a file is lost, or makes a file of that name": [
        f"{DOCUMENTS}::test_what_is_no_file_is_named_or_left_alone",
        f"{VSCODE}/test_unsaved.py::test_untitled_document_is_read_and_edited",
        f"{NEOVIM}_features.py::test_a_buffer_without_a_file",
    ],
    "the editor saves its old text over the agent's edit": [
        f"{SERVE}::test_an_edit_of_a_clean_open_file_is_applied_confirmed_and_saved",
        f"{VSCODE}/test_disk_races.py::test_never_the_old_text_over_the_new",
        f"{SAVING}::test_an_editor_that_saves_by_itself_loses_nothing",
        f"{VSCODE}/test_saving.py::test_auto_save_keeps_the_edit_and_the_key_after_it",
    ],
    "a change that the person took back is made again": [
        "tests/two_sided/test_two_sided.py::test_all_is_as_the_model_says",
        f"{NEOVIM}.py::test_ends_of_texts_and_their_undo",
        f"{SAVING}::test_what_the_person_took_back_by_hand_does_not_come_back",
        f"{VSCODE}/test_saving.py::test_what_was_undone_does_not_come_back",
    ],
    "the disk moves below a saved buffer, and reading again never helps": [
        f"{VSCODE}/test_disk_races.py::test_reload_is_followed",
        f"{ATTACHED}::test_a_reload_that_comes_by_itself_is_awaited",
        f"{ATTACHED}::test_a_clean_document_that_does_not_reload_leaves_the_truth_to_the_disk",
        f"{SERVE}::test_a_disk_write_below_unsaved_text_is_told_once_per_text",
    ],
    "buffers show the old text until the person looks": [
        f"{NEOVIM}_races.py::test_two_open_files_change_together_or_not_at_all",
        f"{NEOVIM}_shows.py::test_open_buffers_show_a_patch_at_once_and_others_are_left",
        f"{VIEWS}::test_a_clean_file_in_the_second_window_is_saved_there_and_shown_in_the_first",
    ],
    "an agent's edit saves other files that the person had not saved": [
        f"{DOCUMENTS}::test_read_only_documents_are_not_edited_and_background_ones_are",
        f"{SERVE}::test_closed_files_are_changed_on_disk_and_nothing_is_opened",
        f"{SAVING}::test_what_is_saved_is_the_edited_document_alone",
        f"{VSCODE}/test_saving.py::test_another_unsaved_document_stays_unsaved",
        f"{VSCODE}/test_unsaved.py::test_a_document_without_a_tab_is_edited_in_the_editor",
    ],
    "a deleted file comes back from an open view": [
        f"{DOCUMENTS}::test_a_deleted_open_file_stays_deleted_and_a_moved_one_is_where_it_went",
        f"{REVIEWED}::test_a_deleted_file_that_comes_back_is_there_for_the_agent_too",
    ],
    "the end of a session takes back what the person had kept": [
        f"{REVIEWED}::test_what_was_kept_stays_after_the_sessions_end_and_a_restart",
        f"{VSCODE}/test_saving.py::test_what_was_kept_stays_when_session_and_server_end",
    ],
    "a view of an edit that was left open takes back a later one, or the file": [
        f"{REVIEWED}::test_a_view_of_the_first_edit_undoes_nothing_of_a_second",
    ],
    "an edit after an emoji hits the wrong columns": [
        "tests/editor_clients/test_edits_on_the_wire.py::test_columns_after_an_emoji_are_the_editors",
        "tests/editor_clients/test_views.py::test_each_editor_counts_columns_in_its_own_way",
        "tests/editor_clients/test_overlay.py::test_mirror_equals_the_editors_text_after_any_typing",
    ],
    "a versioned edit is applied although the document moved on": [
        f"{ATTACHED}::test_typing_before_the_edit_lands_is_stale_and_stays",
        f"{VSCODE}/test_typing_race.py::test_typing_and_editing_at_once_lose_nothing",
        f"{NEOVIM}_races.py::test_no_key_and_no_edit_is_lost_in_a_race",
        f"{CONFLICTS}::test_a_conflict_shows_what_was_seen_what_is_there_and_what_was_wanted",
        f"{SAVING}::test_an_editor_that_cannot_take_versions_is_held_to_the_text",
    ],
    "the editor says that it applied what it left out": [
        f"{ATTACHED}::test_silence_is_unconfirmed",
        f"{ATTACHED}::test_a_yes_without_the_text_is_unconfirmed",
        f"{ATTACHED}::test_an_editor_that_skips_one_of_several_documents_gets_the_others_taken_back",
        "tests/editor_clients/test_views.py::test_a_change_of_files_in_different_editors_is_all_or_nothing",
    ],
    "a field that LSP does not have makes an editor refuse": [
        "tests/e2e/test_emacs.py::test_typing_counts_and_edits_are_one_undo_step_in_the_buffer",
    ],
    "an escaped colon or a link makes one document two": [
        f"{DOCUMENTS}::test_each_way_to_spell_an_open_file_is_that_file",
        f"{DOCUMENTS}::test_a_workspace_that_was_opened_by_a_link_is_the_folder_behind_it",
        "tests/lsp_server/test_targets.py::test_a_drive_letter_has_one_spelling_where_there_are_drives",
        f"{VSCODE}/test_unsaved.py::test_a_name_with_the_colon_of_a_drive_is_that_file",
    ],
    "where letter case does not count, two spellings are two files": [
        "tests/editor_clients/test_spelling.py::test_every_spelling_is_one_target",
    ],
    "an agent's command does not see what is unsaved, and nobody says so": [
        "tests/lsp_server/native/test_native.py::test_by_policy_typing_is_saved_before_a_read_and_a_command",
        "tests/lsp_server/native/test_native.py::test_what_commands_do_not_see_is_told_once",
    ],
    "a path of another machine is taken for one here": [
        "tests/lsp_server/test_targets.py::test_what_is_on_another_machine_is_no_path_here",
    ],
    "only the first of several workspace folders is found": [
        f"{SERVE}::test_every_folder_of_the_editor_is_served_by_one_server",
        f"{DOCUMENTS}::test_workspace_folders_come_and_go_while_agents_are_connected",
        "tests/lsp_server/test_targets.py::test_relative_in_many_folders_is_the_only_one_that_has_it",
        "tests/lsp_server/test_targets.py::test_in_many_folders_a_path_may_begin_with_the_name_of_its_folder",
    ],
    "cells of notebooks are taken for files": [
        f"{DOCUMENTS}::test_what_is_no_file_is_named_or_left_alone",
        "tests/e2e/test_serve_notebook.py::test_a_notebook_that_the_editor_spells_its_own_way_is_that_file",
        "tests/e2e/test_serve_notebook.py::test_unsaved_typing_in_a_cell_is_a_conflict_until_it_is_read",
        f"{VSCODE}/test_notebooks.py::test_what_was_typed_into_a_cell_is_told_kept_and_not_saved",
    ],
    "two windows on one folder do not know of each other's typing": [
        f"{VIEWS}::test_what_is_typed_in_the_second_window_counts_and_is_edited_there",
        f"{VIEWS}::test_two_windows_with_different_unsaved_texts_are_for_the_person",
        f"{VIEWS}::test_a_window_on_a_folder_inside_and_one_around_see_each_others_typing",
        f"{NEOVIM}_views.py::test_two_editors_are_one_to_agents",
        f"{VSCODE}/test_two_windows.py::test_two_windows_are_one_editor_to_agents",
        f"{VSCODE}/test_two_windows.py::test_vs_code_and_neovim_are_one_editor_to_agents",
    ],
    "a restart of editor or server loses what was read, or what is unsaved": [
        f"{VIEWS}::test_the_survivor_takes_over_with_all_that_it_has_open",
        f"{VIEWS}::test_of_two_survivors_one_owns_and_the_other_joins_it_before_agents_go_on",
        f"{SERVE}::test_a_killed_server_that_the_editor_starts_again_knows_what_was_read",
        f"{VSCODE}/test_server_killed.py::test_killed_server_comes_back_and_knows_what_was_read",
        f"{NEOVIM}_races.py::test_a_killed_server_is_started_again",
        f"{VSCODE}/test_two_windows.py::test_the_other_window_takes_over_when_a_server_dies",
    ],
    "text that was restored without being saved is overlooked": [
        f"{DOCUMENTS}::test_restored_text_counts_from_the_moment_that_it_is_told",
        f"{VSCODE}/test_hot_exit.py::test_restored_text_counts_and_a_tab_that_is_not_shown_is_on_disk",
    ],
    "format on save makes the agent read the file again and again": [
        f"{SERVE}::test_the_formatters_part_is_reported_apart_and_makes_nothing_stale",
        f"{SAVING}::test_the_formatters_lines_are_what_the_next_edit_is_about",
        f"{VSCODE}/test_unsaved.py::test_format_on_save_is_part_of_the_edit",
        f"{NEOVIM}_features.py::test_the_formatter_runs_and_is_told_apart",
    ],
    "the formatter rewrites lines that the agent never touched, and nobody says so": [
        f"{SAVING}::test_a_formatter_that_rewrites_the_whole_file_is_told_apart_and_taken_back_too",
    ],
    "one edit is many undo steps, or takes the person's own steps with it": [
        f"{SAVING}::test_each_edit_is_one_undo_step_and_the_persons_steps_stay",
        f"{VSCODE}/test_texts.py::test_cursor_fold_and_breakpoint_stay_with_their_text",
        f"{NEOVIM}.py::test_what_is_far_from_the_edit_stays_where_it_is",
    ],
    "prompts for several agents replace one another, and all but one count as a no": [
        f"{ASKING}::test_three_agents_are_asked_about_one_after_the_other",
        f"{VSCODE}/test_asking.py::test_three_agents_are_asked_about_one_after_the_other",
    ],
    "a file comes to be while the person thinks, and the new one overwrites it": [
        f"{ASKING}::test_add_waits_for_the_person_and_still_never_overwrites",
    ],
    "a yes applies the edit, and the agent applies it once more": [
        f"{ASKING}::test_a_yes_overwrites_and_one_undo_brings_the_typing_back",
        "tests/lsp_server/agents/test_elicitation.py::test_an_answer_that_comes_twice_is_one_edit",
        f"{NEOVIM}_asks.py::test_a_no_keeps_the_typing_and_a_yes_is_one_edit",
        f"{VSCODE}/test_asking.py::test_each_answer_of_the_persons_counts",
    ],
    "closing a prompt, or no reaction at all, counts as an answer": [
        f"{ASKING}::test_closing_the_prompt_is_no_yes",
        f"{ASKING}::test_a_window_that_reloads_takes_its_question_with_it_and_nothing_is_written",
        f"{ASKING}::test_no_answer_in_time_keeps_the_text",
        f"{ASKING}::test_a_cancelled_call_takes_its_prompt_away",
        f"{ASKING}::test_the_question_goes_when_the_person_settles_it_otherwise",
        f"{VSCODE}/test_asking.py::test_each_answer_of_the_persons_counts",
        f"{VSCODE}/test_asking.py::test_closing_the_view_of_a_change_answers_nothing_and_no_tab_is_left",
        f"{VSCODE}/test_asking.py::test_the_person_types_on_and_a_settled_question_goes",
        f"{VSCODE}/test_asking.py::test_no_answer_in_time_keeps_the_text",
    ],
    "a second edit of a file about which a question is open breaks both": [
        f"{ASKING}::test_other_work_on_the_file_goes_on_while_the_person_thinks",
    ],
    "a merge takes the person's lines with it": [
        f"{CONFLICTS}::test_merge_moves_an_edit_over_what_the_person_changed_elsewhere",
        f"{CONFLICTS}::test_merge_refuses_what_touches_or_adjoins",
        f"{CONFLICTS}::test_somebody_who_never_stops_typing_is_never_overwritten",
    ],
    "an agent's edit is undone by another one, and nobody tells it": [
        f"{TOOLS}/test_notices.py::test_an_edit_that_another_agent_undid_is_told",
    ],
    "the person takes one hunk back, and the agent believes that its edit failed": [
        f"{TOOLS}/test_rewind.py::test_the_agent_hears_which_hunk_of_its_edit_was_put_back",
        f"{TOOLS}/test_review.py::test_a_hunk_that_was_put_back_by_hand_is_undone",
    ],
    "undoing an agent's edit throws the person's later work away": [
        f"{TOOLS}/test_rewind.py::test_what_a_person_changed_far_away_stays",
        f"{TOOLS}/test_rewind.py::test_what_a_person_added_stays_also_when_the_server_was_restarted",
        f"{NEOVIM}_asks.py::test_a_rewind_keeps_what_the_person_added_also_after_a_restart",
        f"{VSCODE}/test_saving.py::test_a_rewind_keeps_what_the_person_added_also_after_a_restart",
        f"{TOOLS}/test_rewind.py::test_an_adjoining_change_is_a_conflict_with_its_place",
        f"{TOOLS}/test_rewind_random.py::test_nothing_of_the_persons_is_lost_by_reviews_and_rewinds",
    ],
    "what is said about problems is about the text before the edit": [
        f"{PROBLEMS}::test_the_report_is_for_the_text_after_each_edit",
        f"{SERVERS}::test_a_report_about_the_text_before_is_not_taken_for_the_new_one",
        "tests/editor_clients/test_editor_diagnostics.py"
        "::test_what_was_said_of_an_older_text_is_not_shown_again",
    ],
    "what a command or another program wrote is never told to the language servers": [
        f"{SERVE}::test_problems_of_what_a_command_wrote_are_those_of_the_new_text",
        f"{SERVERS}::test_what_moved_on_disk_is_known_before_the_next_answer",
        f"{SERVERS}::test_text_reaches_the_server_before_the_event_about_it",
    ],
    "a language server that still looks around is believed to have found nothing": [
        f"{PROBLEMS}::test_a_source_at_work_is_partial_until_its_work_ends",
        f"{SERVERS}::test_reports_during_announced_work_are_provisional",
        f"{SERVERS}::test_an_unversioned_first_guess_is_outwaited",
    ],
    "hundreds of old problems hide the new one": [
        f"{PROBLEMS}::test_a_flood_is_bounded_and_counted",
    ],
    "a language server that cannot start fails edits, or starts over and over": [
        f"{PROBLEMS}::test_a_server_that_does_not_start_says_so_once_and_then_is_quiet",
        f"{SERVERS}::test_a_program_that_cannot_be_run_is_a_silent_source",
        f"{SERVERS}::test_a_server_that_always_crashes_is_left_alone_after_some_tries",
    ],
    "an error that comes back is taken for an old one": [
        f"{PROBLEMS}::test_an_error_that_comes_back_is_new",
        f"{PROBLEMS}::test_without_a_baseline_nothing_is_called_new",
        f"{SERVERS}::test_a_baseline_that_does_not_come_is_not_a_clean_one",
    ],
    "a language server that hangs holds up every edit": [
        f"{SERVERS}::test_a_server_that_hangs_is_ended_and_shown_the_present_texts_again",
        f"{TOOLS}/test_preview.py::test_a_silent_server_holds_no_edit_back",
    ],
    "a write that fails leaves half a file, other modes, or litter": [
        f"{DISK}.py::test_a_text_is_on_the_disk_before_it_takes_the_name",
        f"{DISK}_faults.py::test_each_call_failing_once_leaves_before_or_after",
        f"{DISK}_faults.py::test_a_disk_that_goes_on_failing_or_a_kill_leaves_before_or_after",
        f"{DISK}_faults.py::test_a_change_of_one_file_leaves_before_or_after",
        f"{DISK}_faults.py::test_a_file_that_cannot_be_replaced_is_written_in_place",
        f"{TOOLS}/test_file_objects.py::test_mode_owner_attributes_and_access_list_survive",
    ],
    "a file system that keeps the old size cuts what was written": [
        "tests/editor_clients/test_sizes_that_stay.py"
        "::test_what_did_not_get_its_size_is_no_success_and_leaves_the_file",
        "tests/editor_clients/test_sizes_that_stay.py::test_a_new_file_that_did_not_get_its_size_is_not_there",
    ],
    "the server dies, or sees nothing any more, where watches run out or end": [
        f"{TOOLS}/test_hard_times.py::test_without_watches_everything_works_and_moved_files_are_found",
        f"{TOOLS}/test_hard_times.py::test_a_watch_that_ends_begins_anew_and_nothing_is_missed",
        "tests/editor_clients/test_watcher.py::test_a_watch_that_ends_is_begun_anew_and_not_for_ever",
    ],
    "of very many writes in a row some are empty": [
        f"{TOOLS}/test_hard_times.py::test_very_many_writes_in_a_row_are_all_there",
    ],
    "a formatter that runs after the answer makes the next edit fail for ever": [
        f"{TOOLS}/test_hard_times.py"
        "::test_what_a_formatter_made_of_a_new_file_afterwards_costs_one_refusal_at_most",
    ],
    "a prompt in the middle of a turn makes everything unread": [
        "tests/lsp_server/native/test_native.py::test_a_prompt_in_between_makes_nothing_unread",
        "tests/e2e/test_hook.py::test_events_of_no_interest_ask_nobody",
    ],
    "a file that cannot be looked at on this disk counts as unchanged": [
        f"{DOCUMENTS}::test_a_document_whose_file_nobody_here_can_see_is_held_to_its_buffer",
    ],
    "the editor's encoding is not the one that is written": [
        f"{SAVING}::test_the_editors_encoding_is_the_files",
        f"{VSCODE}/test_saving.py::test_the_encoding_of_a_setting_is_the_files",
        f"{TOOLS}/test_legacy_encodings.py::test_one_line_changes_and_every_other_byte_stays",
        f"{NEOVIM}.py::test_every_byte_outside_the_edit_stays",
    ],
    "line ends of a document are mixed, or counted twice": [
        "tests/editor_clients/test_edits_on_the_wire.py"
        "::test_new_lines_of_a_crlf_document_are_crlf_and_its_breaks_count_once",
        f"{VSCODE}/test_texts.py::test_edit_changes_exactly_the_asked_bytes",
        f"{NEOVIM}.py::test_every_byte_outside_the_edit_stays",
    ],
    "an edit at the very end of a text leaves a character behind": [
        "tests/editor_clients/test_edits_on_the_wire.py::test_edits_at_the_very_end_lose_and_double_nothing",
        "tests/editor_clients/test_edits_on_the_wire.py::test_the_end_of_a_text_is_where_lsp_has_it",
        f"{NEOVIM}.py::test_ends_of_texts_and_their_undo",
    ],
    "a key that was told with its document is made twice": [
        "tests/editor_clients/test_overlay.py::test_a_change_without_a_new_version_is_not_made_on_a_guess",
        f"{ATTACHED}::test_a_mirror_that_may_be_wrong_asks_for_the_text",
        f"{ATTACHED}::test_a_mirror_that_may_be_wrong_and_cannot_ask_says_so",
    ],
    "something is lost in the long run": [
        "tests/two_sided/test_two_sided.py::test_all_is_as_the_model_says",
        "tests/editor_clients/test_attached_random.py"
        "::test_nothing_typed_is_lost_and_nothing_refused_leaves_a_trace",
        f"{VSCODE}/test_two_sided.py::test_acts_of_all_three_lose_nothing",
    ],
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_scenario_has_its_tests(scenario: str) -> None:
    for named in SCENARIOS[scenario]:
        path, _, name = named.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), named
