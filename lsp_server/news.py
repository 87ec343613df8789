"""What is new for whoever watches a session: that its ledger, its history or the problems changed.

Never: what changed; whoever wants to know asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from editor_clients.hosted import HostLink
from lsp_server.service import Service


@dataclass(frozen=True, slots=True)
class News:
    """Something changed."""

    what: Literal["ledger", "history", "diagnostics"]
    session: str | None = None
    """Whose; None for everybody's."""


Hearer = Callable[[News], None]


class Bulletin:
    """Tells every hearer."""

    def __init__(self) -> None:
        self._hearers: dict[object, Hearer] = {}

    def hear(self, hearer: Hearer) -> Callable[[], None]:
        """``hearer`` is called with each news, and must not raise; what is given ends that."""
        token = object()
        self._hearers[token] = hearer

        def end() -> None:
            self._hearers.pop(token, None)

        return end

    def tell(self, news: News) -> None:
        """Tell them all."""
        for hearer in list(self._hearers.values()):
            hearer(news)


class NewsService(Service, Protocol):
    """A service that tells what is new."""

    def hear(self, hearer: Hearer) -> Callable[[], None]:
        """See ``Bulletin.hear``."""
        ...

    def hold(self, session: str, link: HostLink) -> Callable[[], None]:
        """See ``Hosts.add``."""
        ...
