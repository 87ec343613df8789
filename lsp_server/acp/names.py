"""What sessions of agents behind ``coeditor acp`` are called.

Never: I/O.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_OURS: Final = "acp-"
_HOSTED: Final = "acp-files-"


def name_from(identity: str, *, hosted: bool) -> str:
    """The name of a session; ``hosted``: its host reads and writes the files."""
    return (_HOSTED if hosted else _OURS) + identity


def is_acp(name: str) -> bool:
    """Whether ``coeditor acp`` named it, and so knows for certain which conversation it is."""
    return name.startswith(_OURS)


def is_hosted(name: str) -> bool:
    """Whether its host holds its files."""
    return name.startswith(_HOSTED)
