"""Who holds the texts of one service: this server's own editor, and those whose servers joined it.

Never: a connection; links and mirrors are handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import Any

from editor_clients.attached import Attached
from editor_clients.editor_diagnostics import EditorDiagnostics
from editor_clients.editor_link import EditorLink
from editor_clients.overlay import Overlay
from editor_clients.views import View
from editor_clients.views_diagnostics import ViewsDiagnostics
from ledger.errors import CoeditorError
from ledger.types import TargetKey
from lsp_server.authorities import Authority, Ground
from lsp_server.edits.notebook_view import JupyterForm
from lsp_server.handlers.documents import Documents
from lsp_server.handlers.joining import Intro
from lsp_server.handlers.prompting import EditorPrompt
from lsp_server.handlers.telling import UriOf, conflicts_in, refresh_of
from lsp_server.targets import is_untitled


class Attachment:
    """The editors of one service."""

    def __init__(self, ground: Ground, overlay: Overlay, link: EditorLink, documents: Documents) -> None:
        self._ground = ground
        self._numbers = count(overlay.view + 1)
        self._joined: list[JoinedView] = []
        self._link = link
        self._client = Attached(
            ground.disk,
            overlay,
            link,
            resolve=self._resolve,
            form=JupyterForm(),
            save=ground.settings.save,
            moved=lambda target: ground.notices.touched(frozenset({str(target)})),
        )
        documents.hand_to(self._client.buffers)
        self._problems = ViewsDiagnostics(ground.servers)
        own = EditorDiagnostics(overlay, link, ground.servers)
        documents.hand_diagnostics_to(own.told)
        self._problems.add(own)
        self.changed: Callable[[], None] = lambda: None
        """Called when an editor came or went."""
        self.came: Callable[[], None] = lambda: None
        """Called when one came: its server may have folders of its own."""

    def authority(self) -> Authority:
        """All of them, as one."""
        return Authority(
            self._client,
            self._client.look,
            self._problems,
            kind="editor",
            refresh=refresh_of(self._screens),
            show_conflicts=conflicts_in(
                lambda: [(view.link, view.overlay, view.buffers.uri_of) for view in self._client.views]
            ),
            prompt=EditorPrompt(self._ways),
        )

    @property
    def pids(self) -> frozenset[int]:
        """The processes of the servers that joined."""
        return frozenset(one.told.pid for one in self._joined)

    def join(self, told: Intro, link: EditorLink) -> JoinedView:
        """A further editor: from now on what it has open counts."""
        overlay = Overlay(told.encoding, view=next(self._numbers))
        told.fill(overlay)
        view = self._client.join(overlay, link, lambda uri: self._resolve_further(uri, overlay.view))
        joined = JoinedView(self, told, view, EditorDiagnostics(overlay, link, self._ground.servers))
        self._problems.add(joined.problems)
        self._joined.append(joined)
        for buffer in overlay.all():
            if buffer.target is not None:
                self._ground.notices.touched(frozenset({str(buffer.target)}))
        self.changed()
        self.came()
        return joined

    def drop(self, joined: JoinedView) -> None:
        """It is gone, and what it held with it."""
        self._joined.remove(joined)
        self._problems.drop(joined.problems)
        self._client.views.drop(joined.view)
        self.changed()

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """A notification to every editor."""
        for link, _ in self._screens():
            link.tell(method, params)

    def tell_joined(self, method: str, params: Mapping[str, Any]) -> None:
        """A notification to the servers that joined."""
        for one in self._joined:
            one.view.link.tell(method, params)

    def _screens(self) -> Iterable[tuple[EditorLink, UriOf]]:
        return [(view.link, view.buffers.uri_of) for view in self._client.views]

    def _ways(self, unsaved: Collection[TargetKey]) -> Iterable[tuple[EditorLink, UriOf]]:
        return [(view.link, view.buffers.uri_of) for view in self._client.views.nearest(unsaved)]

    def _resolve(self, uri: str) -> TargetKey | None:
        """The target that an editor means; None for one that no tool can name.

        Editors have documents of many schemes (``git:``, ``output:``, cells of notebooks), which are no paths.
        """
        if not (uri[:5].lower() == "file:" or is_untitled(uri)):
            return None
        try:
            target = self._ground.targets.resolve(uri)
            if not is_untitled(target.key):
                self._ground.walls.check(target.path, write=False)
        except CoeditorError:
            return None
        return target.key

    def _resolve_further(self, uri: str, number: int) -> TargetKey | None:
        """Every editor counts its untitled documents from one; those of a further one get its number."""
        target = self._resolve(uri)
        return TargetKey(f"{target}#{number + 1}") if target is not None and is_untitled(target) else target


class JoinedView:
    """One further editor among them."""

    def __init__(self, home: Attachment, told: Intro, view: View, problems: EditorDiagnostics) -> None:
        self.told = told
        self.view = view
        self.problems = problems
        self.documents = Documents(view.buffers)
        self.documents.notebooks.encoding = told.encoding
        for params in told.notebooks:
            self.documents.notebook_did_open(params)
        self.documents.hand_diagnostics_to(problems.told)
        for params in told.diagnostics:
            self.documents.publish_diagnostics(params)
        self._home = home

    def leave(self) -> None:
        """See ``Joined``."""
        self._home.drop(self)
