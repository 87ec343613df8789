"""Moments as the wire, the event stream and the log have them.

Never: a clock.
"""

from __future__ import annotations

from datetime import UTC, datetime


def rfc3339(moment: float) -> str:
    """Seconds since the epoch as RFC 3339 has them: UTC, to the millisecond."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
