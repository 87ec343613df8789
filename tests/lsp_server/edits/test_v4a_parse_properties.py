"""What holds for every patch text, however it arrives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_parse import PatchFeed
from lsp_server.edits.v4a_types import Patch, PatchLimits

LINES = (
    "*** Begin Patch",
    " *** Begin Patch",
    "*** End Patch",
    " *** End Patch",
    "\t*** End Patch",
    "*** Add File: a",
    "*** Update File: b",
    " *** Update File: b",
    "*** Update File: ",
    "*** Delete File: c",
    "*** Move File: d -> e",
    "*** Move File: d",
    "*** Move to: f",
    "*** End of File",
    "*** Environment ID: 1",
    "*** Nope",
    "@@",
    "@@ x",
    "@@ -1 +1 @@",
    " a",
    "-b",
    "+c",
    "",
    " ",
    "prose",
    "\\ No newline at end of file",
    "```",
)
patch_lines = st.lists(st.sampled_from(LINES), max_size=14)
endings = st.sampled_from(["\n", "\r\n"])


@st.composite
def patch_texts(draw: st.DrawFn) -> str:
    lines = draw(patch_lines)
    if draw(st.booleans()):
        lines = ["*** Begin Patch", *lines, "*** End Patch"]
    ending = draw(endings)
    text = ending.join(lines) + draw(st.sampled_from(["", ending, "\r"]))
    return draw(st.sampled_from(["", "\ufeff"])) + text


Outcome = Patch | tuple[Code, str, str | None, dict[str, object]]


def outcome_of_pieces(pieces: list[str], limits: PatchLimits | None = None) -> Outcome:
    feed = PatchFeed(limits)
    try:
        for piece in pieces:
            feed.append(piece)
        return feed.commit()
    except CoeditorError as error:
        return error.code, error.message, error.file_path, error.data


def cut(text: str, cuts: list[int]) -> list[str]:
    places = sorted({min(place, len(text)) for place in cuts})
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@given(st.text() | patch_texts())
def test_any_text_parses_or_is_refused(text: str) -> None:
    outcome = outcome_of_pieces([text])
    if isinstance(outcome, Patch):
        assert outcome.sections
        return
    code, message, _, data = outcome
    assert code is Code.FS_INVALID_PATCH
    assert message.startswith(f"Patch line {data['line']}: ")
    assert data["line"] in range(1, text.count("\n") + 2)
    assert data["expected"]


@given(patch_texts(), st.lists(st.integers(0, 300), max_size=8))
def test_pieces_come_to_the_same_end_as_the_whole(text: str, cuts: list[int]) -> None:
    assert outcome_of_pieces(cut(text, cuts)) == outcome_of_pieces([text])


@given(patch_texts(), st.lists(st.integers(0, 300), max_size=8), st.integers(0, 200), st.integers(0, 3))
def test_limits_do_not_depend_on_the_pieces(text: str, cuts: list[int], size: int, few: int) -> None:
    limits = PatchLimits(size, few, few, few)
    whole, pieces = outcome_of_pieces([text], limits), outcome_of_pieces(cut(text, cuts), limits)
    assert whole == pieces


@given(patch_texts())
def test_one_character_at_a_time_never_refuses_too_early(text: str) -> None:
    """What a feed refuses half-way is refused whole, and for the same reason."""
    assert outcome_of_pieces(list(text)) == outcome_of_pieces([text])
