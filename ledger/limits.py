"""How much the ledger keeps.

Never: a bound that is checked nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, ages in seconds."""

    sessions: int = 200
    """Sessions whose observations are kept; the least recently used go first."""
    session_age: float = 14 * DAY
    targets: int = 20_000
    """Observations of one scope; the oldest go first."""
    entries: int = 20_000
    entry_age: float = 30 * DAY
    refused_age: float = DAY
    """How long a refused call can still be asked for by its call id."""
    text: int = 4 * MIB
    """Larger observed texts are kept in memory only."""
    blob: int = 64 * MIB
    """Larger snapshots are not kept at all."""
    memory: int = 24 * MIB
    """Texts held in memory."""
    store: int = 256 * MIB
    """Compressed texts and snapshots in the store."""
    requests: int = 64 * MIB
    """Compressed requests and answers of entries; those of the oldest entries go first, the entries stay."""


DEFAULTS = Limits()
