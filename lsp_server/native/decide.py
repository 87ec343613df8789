"""May an agent's own tool touch this file now, and what comes first? One pure function over this table.

::

    the tool    saved text     unsaved typing,            unsaved typing,        diverged, two texts,
                               unsaved_native = refuse    unsaved_native = save  not to be saved
    ----------  -------------  -------------------------  ---------------------  ---------------------
    read        goes on        is shown the typing        saved, then goes on    is shown the typing
    edit        goes on        refused                    saved, then goes on    refused
    write,      goes on, but   refused                    refused                refused
    delete      refused where
                the scope saw
                another text

An agent's own edit looks for its text in the file as it is, so that what was saved just before it is kept; a whole
file that is written would lose it.

Never: I/O.
"""

from __future__ import annotations

from typing import Literal

from editor_clients.port import CurrentText
from ledger.session import Observation, Present

Act = Literal["read", "edit", "write", "delete"]
Step = Literal["allow", "save", "show", "refuse_unsaved", "refuse_stale"]


def decide(act: Act, current: CurrentText | None, seen: Observation, *, saves: bool) -> Step:
    """What is to happen. ``saves``: the person lets unsaved typing be saved for agents' own tools."""
    if current is not None and current.unsaved:
        if act in ("write", "delete"):
            return "refuse_unsaved"
        if saves and not current.diverged:
            return "save"
        return "show" if act == "read" else "refuse_unsaved"
    if act not in ("write", "delete") or current is None:
        return "allow"
    moved = isinstance(seen, Present) and seen.token != current.token
    return "refuse_stale" if moved else "allow"
