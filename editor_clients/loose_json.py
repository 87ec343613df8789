"""Looking into JSON that somebody else made, where every field may be missing or of another type.

Never: raising on a wrong shape; what is not there is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Json = Mapping[str, object]

_EMPTY: Json = {}


def as_object(value: object) -> Json:
    """``value`` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def as_list(value: object) -> Sequence[object]:
    """``value`` when it is an array, else an empty one."""
    return value if isinstance(value, list) else ()


def as_int(value: object, default: int = 0) -> int:
    """``value`` when it is a whole number (not a boolean), else ``default``."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def as_text(value: object, default: str = "") -> str:
    """``value`` when it is a string, else ``default``; lone surrogates (no JSON holds them) are replaced."""
    if not isinstance(value, str):
        return default
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def look_up(settings: Json, section: str) -> object:
    """The value below a dotted name (``a.b.c``); None where there is none, everything for an empty name."""
    found: object = settings
    for part in section.split(".") if section else ():
        if not isinstance(found, dict) or part not in found:
            return None
        found = found[part]
    return found
