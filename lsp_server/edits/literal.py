"""Line endings of a request, and of the text that it puts into a file. All else is taken as it was sent.

Never: templates, escapes, or a change of anything but ``\\n``.
"""

from __future__ import annotations

from collections.abc import Sequence

from editor_clients.lines import LINE_BREAK


def fold_request(sent: str) -> str:
    """A text of a request with ``\\n`` for each of its line ends; a lone CR in it is content."""
    return sent.replace("\r\n", "\n") if "\r" in sent else sent


def breaks_of(text: str, start: int, end: int) -> list[str]:
    """The line breaks of ``text[start:end]``, in order."""
    return LINE_BREAK.findall(text, start, end)


def with_endings_of(new: str, text: str, start: int, end: int, breaks: Sequence[str] | None = None) -> str:
    """``new`` as it is written in place of ``text[start:end]``.

    Its i-th line break takes the kind of the i-th one replaced (``breaks``, if given, instead of those of the
    span), further ones that of the break before; where the span has none, of the break before it in the file,
    else of the next after it. In a text without line breaks ``new`` stays as sent.
    """
    folded = fold_request(new)
    count = folded.count("\n")
    if not count:
        return folded
    kinds = list(breaks_of(text, start, end) if breaks is None else breaks)[:count]
    if not kinds:
        neighbour = _break_before(text, start) or _break_after(text, end)
        if neighbour is None:
            return new
        kinds.append(neighbour)
    kinds += kinds[-1:] * (count - len(kinds))
    parts = folded.split("\n")
    _keep_apart(kinds, parts, text[start - 1 : start], text[end : end + 1])
    return "".join(part + kind for part, kind in zip(parts, kinds, strict=False)) + parts[-1]


def _keep_apart(kinds: list[str], parts: list[str], before: str, after: str) -> None:
    """Let no two line ends of different kinds become one CRLF where nothing stands between them."""
    for number, kind in enumerate(kinds):
        if kind == "\n" and not parts[number] and (kinds[number - 1] if number else before) == "\r":
            kinds[number] = "\r"
    if kinds[-1] == "\r" and not parts[-1] and after == "\n":
        touches_cr = not parts[-2] and (kinds[-2] if len(kinds) > 1 else before) == "\r"
        kinds[-1] = "\r\n" if touches_cr else "\n"


def _break_before(text: str, offset: int) -> str | None:
    lf = text.rfind("\n", 0, offset)
    if text.rfind("\r", lf + 1, offset) >= 0:
        return "\r"
    if lf < 0:
        return None
    return "\r\n" if text[lf - 1 : lf] == "\r" else "\n"


def _break_after(text: str, offset: int) -> str | None:
    found = LINE_BREAK.search(text, offset)
    return found.group() if found else None
