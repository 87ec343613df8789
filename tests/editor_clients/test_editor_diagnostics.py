"""What the editor's language servers say of open documents: about which text, before and after an edit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from editor_clients.editor_diagnostics import EditorDiagnostics
from editor_clients.language_servers import LanguageServers
from editor_clients.lsp_wire import changes_from
from editor_clients.overlay import DocumentState, Overlay
from editor_clients.replacements import replacements_between
from editor_clients.source_reports import TextChange
from ledger.types import TargetKey
from lsp_server.effects.diagnostics import FileEdit, edit_diagnostics
from tests.fakes.editor import DirectLink, Document, ScriptedEditor

PATH = "/ws/a.json"
URI = "file:///ws/a.json"


class Scene:
    """An editor with one document, and the source over it."""

    def __init__(self, *, extras: bool = True) -> None:
        self.editor = ScriptedEditor(extras=extras)
        self.overlay = Overlay()
        servers = LanguageServers("/ws", (), finder=lambda name, root: None)
        self.source = EditorDiagnostics(self.overlay, DirectLink(self.editor), servers)
        self.editor.send = self._send

    def open(self, text: str) -> Document:
        document = self.editor.open_untitled("x", "")
        del self.editor.documents[document.uri]
        document.uri, document.text = URI, text
        self.editor.documents[URI] = document
        self.overlay.open(URI, TargetKey(PATH), document.version, text)
        return document

    def _send(self, method: str, params: dict[str, Any]) -> None:
        if method == "textDocument/didChange":
            named = params["textDocument"]
            self.overlay.change(named["uri"], named["version"], changes_from(params["contentChanges"]))
        elif method == "coeditor/publishDiagnostics":
            self.source.told(
                params["uri"],
                params["version"],
                params["diagnostics"],
                standing=params.get("standing") is True,
            )

    async def edited(
        self, document: Document, after: str, then: Callable[[], None], *, patience: float = 20.0
    ) -> dict[str, Any]:
        """The outcome of an edit, ``then`` being what the language servers do about it."""
        before = document.text
        self.editor.type(document, 0, after, delete=len(before))
        asyncio.get_running_loop().call_later(0.01, then)
        edit = FileEdit(PATH, before, after, replacements_between(before, after))
        deadline = asyncio.get_running_loop().time() + patience
        return (await edit_diagnostics(self.source, [edit], deadline=deadline)).to_object()


def problem(line: int, message: str = "wrong") -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {"range": {"start": place, "end": place | {"character": 1}}, "severity": 1, "message": message}


async def test_what_an_edit_breaks_is_new_and_what_it_repairs_is_resolved() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    broken = await scene.edited(
        document, "{\n", lambda: scene.editor.diagnose(document, problem(0, "no end"))
    )
    assert [item["message"] for item in broken["new"]] == ["no end"]
    assert (broken["state"], broken["source"]) == ("fresh", ["Scripted"])
    repaired = await scene.edited(document, "{}\n", lambda: scene.editor.diagnose(document))
    assert [item["message"] for item in repaired["resolved"]] == ["no end"]
    assert repaired["new"] == []


async def test_old_problems_that_an_edit_only_shifts_are_not_new() -> None:
    scene = Scene()
    document = scene.open("a\nb\nc\nd\ne\n")
    scene.editor.diagnose(document, *(problem(line) for line in range(5)))
    found = await scene.edited(
        document,
        "first\na\nb\nc\nd\ne\n",
        lambda: scene.editor.diagnose(document, *(problem(line) for line in range(1, 6))),
    )
    assert (found["new"], found["resolved"]) == ([], [])
    assert found["remaining"]["error"] == 5


async def test_a_report_that_comes_in_parts_counts_once_it_is_whole() -> None:
    scene = Scene()
    document = scene.open("{}\n")

    def in_parts() -> None:
        scene.editor.diagnose(document)
        asyncio.get_running_loop().call_later(0.05, scene.editor.diagnose, document, problem(0))

    found = await scene.edited(document, "{\n", in_parts)
    assert len(found["new"]) == 1


async def test_no_word_about_the_new_text_is_no_data() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    scene.editor.diagnose(document, problem(0))
    found = await scene.edited(document, "{\n", lambda: None, patience=0.1)
    assert (found["state"], found["new"]) == ("none", [])
    assert any("said nothing" in note for note in found["notes"])


@pytest.mark.parametrize("extras", [True, False])
async def test_the_tool_knows_what_was_said_of_an_open_document(*, extras: bool) -> None:
    scene = Scene(extras=extras)
    document = scene.open("{\n")
    deadline = asyncio.get_running_loop().time() + 5
    silent = await scene.source.diagnostics(PATH, document.text, deadline=deadline)
    assert silent.state == "none"
    scene.editor.diagnose(document, problem(0))
    heard = await scene.source.diagnostics(PATH, document.text, deadline=deadline)
    assert heard.state == ("fresh" if extras else "none")
    assert len(heard.items) == (1 if extras else 0)


async def test_what_is_only_tried_is_not_the_editors() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    scene.editor.diagnose(document)
    deadline = asyncio.get_running_loop().time() + 5
    change = TextChange(PATH, "{}\n", "{\n")
    assert await scene.source.compare([change], deadline=deadline, keep=False) == []


async def test_nobody_waits_for_a_document_that_no_language_server_looks_at() -> None:
    """The deadline is longer than a test may take."""
    scene = Scene()
    document = scene.open("{}\n")
    buffer = scene.overlay.find(URI)
    assert buffer is not None
    scene.overlay.put(replace(buffer, state=DocumentState(1, dirty=False, attended=False)))
    found = await scene.edited(document, "{\n", lambda: None, patience=100_000.0)
    assert (found["state"], found["new"]) == ("none", [])


async def test_a_kind_of_document_that_nobody_knows_is_waited_for_but_briefly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("editor_clients.editor_diagnostics.DEFAULT_SPECS", ())
    scene = Scene()
    document = scene.open("{}\n")
    silent = await scene.edited(document, "{\n", lambda: None, patience=100_000.0)
    assert silent["state"] == "none"
    heard = await scene.edited(document, "[\n", lambda: scene.editor.diagnose(document, problem(0)))
    assert heard["state"] != "none"


async def test_what_stands_ends_the_wait_once_news_would_have_come() -> None:
    """An edit that changes nothing, about which a server says nothing. That it changes nothing is not certain."""
    scene = Scene()
    document = scene.open("{}\n")
    for number in range(4):
        heard = await scene.edited(
            document, f"{{ {number}\n", lambda: scene.editor.diagnose(document, problem(0))
        )
        assert heard["state"] == "fresh"
    stands = await scene.edited(
        document, "{{\n", lambda: scene.editor.diagnose(document, problem(0), standing=True)
    )
    assert (stands["state"], stands["new"], stands["resolved"]) == ("partial", [], [])
    assert stands["remaining"]["error"] == 1
    assert any("said nothing new" in note for note in stands["notes"])


async def test_news_after_what_stands_is_what_counts() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    await scene.edited(document, "{ }\n", lambda: scene.editor.diagnose(document))

    def late_news() -> None:
        scene.editor.diagnose(document, standing=True)
        asyncio.get_running_loop().call_later(0.005, scene.editor.diagnose, document, problem(0))

    found = await scene.edited(document, "{\n", late_news)
    assert (len(found["new"]), found["state"]) == (1, "fresh")


async def test_what_stands_is_no_data_where_nobody_ever_spoke() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    found = await scene.edited(
        document, "{\n", lambda: scene.editor.diagnose(document, standing=True), patience=0.1
    )
    assert (found["state"], found["new"]) == ("none", [])


async def test_remarks_of_our_own_are_not_told_to_agents() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    ours = problem(0, "Ada was stopped here.") | {"severity": 3, "source": "coeditor"}
    found = await scene.edited(document, "{\n", lambda: scene.editor.diagnose(document, ours, problem(0)))
    assert [item["message"] for item in found["new"]] == ["wrong"]


async def test_what_was_said_of_an_older_text_is_not_shown_again() -> None:
    scene = Scene()
    document = scene.open("{\n")
    scene.editor.diagnose(document, problem(0))
    assert [item.message for item in scene.source.elsewhere()] == ["wrong"]
    scene.editor.type(document, 1, "}")
    assert scene.source.elsewhere() == []


async def test_other_open_documents_that_break_are_new() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    other = scene.editor.open_untitled("y", "x\n")
    del scene.editor.documents[other.uri]
    other.uri = "file:///ws/b.json"
    scene.editor.documents[other.uri] = other
    scene.overlay.open(other.uri, TargetKey("/ws/b.json"), other.version, other.text)
    scene.editor.diagnose(other)

    def both() -> None:
        scene.editor.diagnose(other, problem(0, "broken by it"))
        scene.editor.diagnose(document)

    found = await scene.edited(document, "{ }\n", both)
    assert [(item["file_path"], item["message"]) for item in found["new"]] == [("/ws/b.json", "broken by it")]


async def test_the_editor_says_what_mends_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsp_server.effects.details._FIXES_WAIT", 20.0)
    scene = Scene()
    document = scene.open("{}\n")
    found = await scene.edited(document, "{\n", lambda: scene.editor.diagnose(document, problem(0, "it")))
    assert [item["fix"] for item in found["new"]] == ["Mend it"]


async def test_a_report_that_comes_later_is_overheard_while_its_text_is_there() -> None:
    scene = Scene()
    document = scene.open("{}\n")
    scene.editor.type(document, 1, "x")
    deadline = asyncio.get_running_loop().time() + 20
    name = scene.editor.abilities.name
    waiting = asyncio.create_task(scene.source.overheard(PATH, document.text, name, deadline=deadline))
    asyncio.get_running_loop().call_later(0.02, scene.editor.diagnose, document, problem(0))
    heard = await waiting
    assert heard is not None
    assert [item.message for item in heard.items] == ["wrong"]
    assert await scene.source.overheard(PATH, "another", name, deadline=deadline) is None
