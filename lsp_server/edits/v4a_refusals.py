"""What is said of a patch that does not parse: the line, what could have stood there, how to say it right.

Never: whether to refuse.
"""

from __future__ import annotations

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_lines import (
    BEGIN,
    CHUNK_LINES,
    END,
    HEADERS,
    MOVE_TO,
    MoveTo,
    SectionName,
    marker_of,
    unknown_line,
)

AFTER_A_SECTION = (*HEADERS, END)


def invalid_patch(line_no: int, message: str, *expected: str, path: str | None = None) -> CoeditorError:
    """FS_INVALID_PATCH at a line of the patch; ``expected`` says what could have stood there."""
    return CoeditorError(
        Code.FS_INVALID_PATCH,
        f"Patch line {line_no}: {message}",
        file_path=path,
        data={"line": line_no, "expected": list(expected)},
    )


def too_large(line_no: int, name: str, limit: int) -> CoeditorError:
    """FS_TOO_LARGE: ``name`` is a field of PatchLimits."""
    what = {
        "patch_bytes": "bytes in one patch",
        "patch_files": "files in one patch",
        "patch_chunks": "chunks in one patch",
        "patch_lines": "lines in one patch",
    }[name]
    return CoeditorError(
        Code.FS_TOO_LARGE,
        f"More than {limit:,} {what}; send several smaller patches.",
        data={"limit": limit, "limit_name": name, "line": line_no},
    )


def no_begin(line_no: int, *, at_end: bool) -> CoeditorError:
    """Something else than prose stands before the begin marker, or the text ended without one."""
    if not at_end:
        return invalid_patch(line_no, f"a patch starts with {BEGIN!r}; put that line before this one.", BEGIN)
    message = f"no line {BEGIN!r} was found."
    if line_no == 1:
        message += " A patch has real line breaks, not '\\n' written out."
    return invalid_patch(line_no, message, BEGIN)


def no_end(line_no: int, path: str | None) -> CoeditorError:
    """The text ended without the end marker."""
    return invalid_patch(
        line_no, f"the patch stops without {END!r}; if it was cut off, send it again whole.", END, path=path
    )


def no_sections(line_no: int) -> CoeditorError:
    """The envelope is empty."""
    return invalid_patch(line_no, "the patch has no section before its end.", *HEADERS)


def two_envelopes(line_no: int) -> CoeditorError:
    """A part of a patch outside its envelope; to drop it as prose would lose it."""
    return invalid_patch(
        line_no,
        f"one text holds one patch; put all sections between one {BEGIN!r} and one {END!r}.",
        *AFTER_A_SECTION,
    )


def no_path(line_no: int, expected: str) -> CoeditorError:
    """A header without its path."""
    return invalid_patch(line_no, f"the path is missing; write {expected!r}.", expected)


def header_form(name: SectionName) -> str:
    """How a header is written."""
    return next(one for one in HEADERS if one.startswith(f"*** {name} "))


def no_arrow(line_no: int) -> CoeditorError:
    """``*** Move File`` without two paths."""
    expected = header_form("Move")
    return invalid_patch(
        line_no, f"a move names two paths with ' -> ' between; write {expected!r}.", expected
    )


def two_arrows(line_no: int) -> CoeditorError:
    """``*** Move File`` with a path that itself has an arrow."""
    return invalid_patch(
        line_no,
        f"more than one ' -> ' stands here; write '*** Update File: <path>' and {MOVE_TO!r} instead.",
        header_form("Update"),
        MOVE_TO,
    )


def second_move_to(line_no: int, path: str | None) -> CoeditorError:
    """One section moves a file once."""
    return invalid_patch(
        line_no, "this section has its '*** Move to:' already.", "@@", *AFTER_A_SECTION, path=path
    )


def empty_update(line_no: int, path: str | None) -> CoeditorError:
    """An Update with neither chunks nor a move."""
    return invalid_patch(
        line_no, "an Update needs a chunk or a '*** Move to:' below it.", "@@", MOVE_TO, path=path
    )


def empty_chunk(line_no: int, path: str | None) -> CoeditorError:
    """``@@`` or End of File without lines."""
    return invalid_patch(
        line_no, "a chunk needs lines that start with ' ', '-' or '+'.", *CHUNK_LINES, path=path
    )


def bad_add_line(line_no: int, path: str | None) -> CoeditorError:
    """A line of an Add without its prefix."""
    return invalid_patch(
        line_no,
        "every line of an added file starts with '+', an empty one too.",
        "+<line>",
        *AFTER_A_SECTION,
        path=path,
    )


def out_of_place(
    line_no: int, raw: str, path: str | None, *, in_update: bool, after_end: bool
) -> CoeditorError:
    """A line that cannot stand here: in or before a chunk, after End of File, or between sections."""
    also: tuple[str, ...] = ("@@", *CHUNK_LINES) if in_update else ("@@",) if after_end else ()
    expected: tuple[str, ...] = AFTER_A_SECTION
    if isinstance(marker_of(raw), MoveTo):
        message = "'*** Move to:' stands right below '*** Update File:', before any chunk."
    elif after_end and raw[0] in " -+":
        message = "after '*** End of File' another chunk starts with '@@'."
    elif in_update and raw.startswith("@@"):
        message = "an anchor stands after '@@' and one blank: '@@ <line of the file>'."
    elif in_update and not raw.startswith("***"):
        message = "a line of a chunk starts with ' ' (unchanged), '-' (removed) or '+' (added)."
    else:
        message, expected = unknown_line(raw)
    return invalid_patch(line_no, message, *also, *expected, path=path)
