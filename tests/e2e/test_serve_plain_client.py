"""pytest-lsp's client, which knows nothing of us: edits land in its document, stay unsaved, and say so."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient
from pytest_lsp.client import make_test_lsp_client

from tests.e2e.agents import Place, agent
from tests.fakes.editor import offset_of, position_of, uri_of

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


class PlainEditor:
    """One document and the client that holds it."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client = client
        self.uri = uri_of(path)
        self.text = path.read_text()
        self.version = 1
        client.feature(lsp.WORKSPACE_APPLY_EDIT)(self._handler())
        item = lsp.TextDocumentItem(self.uri, "plaintext", self.version, self.text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def type(self, start: int, end: int, new: str) -> None:
        """Replace a span of the document."""
        first, last = (position_of(self.text, offset, "utf-16") for offset in (start, end))
        span = lsp.Range(lsp.Position(**first), lsp.Position(**last))
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangePartial(range=span, text=new)],
            )
        )

    def _handler(self) -> Callable[[lsp.ApplyWorkspaceEditParams], lsp.ApplyWorkspaceEditResult]:
        def apply_edit(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            changes = params.edit.document_changes
            assert changes is not None
            (change,) = changes
            assert isinstance(change, lsp.TextDocumentEdit)
            if change.text_document.version != self.version:
                return lsp.ApplyWorkspaceEditResult(applied=False)
            for edit in reversed(change.edits):
                assert isinstance(edit, lsp.TextEdit)
                start, end = (
                    offset_of(self.text, {"line": at.line, "character": at.character}, "utf-16")
                    for at in (edit.range.start, edit.range.end)
                )
                self.type(start, end, edit.new_text)
            return lsp.ApplyWorkspaceEditResult(applied=True)

        return apply_edit


@asynccontextmanager
async def editing(place: Place, path: Path) -> AsyncIterator[PlainEditor]:
    client = make_test_lsp_client()
    command = (sys.executable, "-m", "lsp_server", "serve", "--stdio")
    await client.start_io(*command, env=place.environment, cwd=place.folder)
    await client.initialize_session(
        lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(
                workspace=lsp.WorkspaceClientCapabilities(
                    workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
                )
            ),
            root_uri=uri_of(place.folder),
            workspace_folders=[lsp.WorkspaceFolder(uri_of(place.folder), "ws")],
        )
    )
    try:
        yield PlainEditor(client, path)
    finally:
        await client.shutdown_session()
        await client.stop()  # type: ignore[no-untyped-call]


async def test_typing_conflicts_then_both_are_in_the_buffer_and_nothing_is_saved(tmp_path: Path) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    path = place.write("a.txt", BEFORE)
    async with editing(place, path) as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(0, 0, "typed ")
        refused = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+typed one" in refused["data"]["diff"]
        assert (editor.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert (seen["unsaved"], seen["authority"]) == (True, "editor")
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
        assert any("not saved" in note for note in done["warnings"])
        assert (editor.text, place.text("a.txt")) == ("typed " + AFTER, BEFORE)


async def test_an_edit_of_a_clean_buffer_stays_unsaved_and_says_why(tmp_path: Path) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    path = place.write("a.txt", BEFORE)
    async with editing(place, path) as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
        assert any("cannot be asked to" in note for note in done["warnings"])
        assert (editor.text, place.text("a.txt")) == (AFTER, BEFORE)


async def test_lenses_and_actions_keep_undo_and_show_what_agents_changed(tmp_path: Path) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    text = "".join(f"line {number} end\n" for number in range(1, 21))
    path = place.write("a.txt", text)
    async with editing(place, path) as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        for number in (3, 10, 17):
            await one.call(
                "edit", file_path="a.txt", old_string=f"line {number} end", new_string=f"{number}!"
            )
        document = lsp.TextDocumentIdentifier(editor.uri)
        lenses = await editor.client.text_document_code_lens_async(lsp.CodeLensParams(document))
        assert lenses is not None
        commands = [lens.command for lens in lenses if lens.command is not None]
        assert [lens.range.start.line for lens in lenses] == [2, 2, 2, 9, 9, 9, 16, 16, 16]
        assert [command.title for command in commands[:3]] == ["Keep", "Undo this edit", "Show diff"]

        async def run(command: lsp.Command) -> object:
            return await editor.client.workspace_execute_command_async(
                lsp.ExecuteCommandParams(command.command, command.arguments)
            )

        shown = await run(commands[2])
        assert isinstance(shown, dict)
        assert "-line 3 end\n+3!\n" in shown["diff"]
        await run(commands[0])
        place_of = lsp.Range(lsp.Position(9, 0), lsp.Position(9, 1))
        actions = await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(document, place_of, lsp.CodeActionContext([]))
        )
        assert actions is not None
        # The client's library takes an action for the command in it, so its own command is run from the lens.
        assert [each.title.split(" (")[0] for each in actions] == ["Keep", "Undo this edit", "Show diff"]
        await run(commands[4])
        assert editor.text == text.replace("line 3 end", "3!").replace("line 17 end", "17!")
        lenses = await editor.client.text_document_code_lens_async(lsp.CodeLensParams(document))
        assert lenses is not None
        assert {lens.range.start.line for lens in lenses} == {16}
        far = lsp.Range(lsp.Position(2, 0), lsp.Position(5, 0))
        assert not await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(document, far, lsp.CodeActionContext([]))
        )
