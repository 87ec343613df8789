"""Reading V4A patches: what is understood, what is forgiven, and what is refused, with line and remedy."""

from __future__ import annotations

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_parse import PatchFeed, parse_patch
from lsp_server.edits.v4a_types import (
    AddSection,
    Anchor,
    Chunk,
    ChunkLine,
    DeleteSection,
    MoveSection,
    Patch,
    PatchLimits,
    Section,
    UpdateSection,
)

BEGIN, END = "*** Begin Patch\n", "*** End Patch\n"


def envelope(*lines: str) -> str:
    return BEGIN + "".join(line + "\n" for line in lines) + END


def refusal(text: str, limits: PatchLimits | None = None) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        parse_patch(text, limits)
    return caught.value


def only_chunk(patch: Patch) -> Chunk:
    (section,) = patch.sections
    assert isinstance(section, UpdateSection)
    (chunk,) = section.chunks
    return chunk


def updated(*chunk_lines: str) -> Chunk:
    return only_chunk(parse_patch(envelope("*** Update File: f", *chunk_lines)))


def test_every_kind_of_section_in_one_patch() -> None:
    patch = parse_patch(
        envelope(
            "*** Add File: new/a.txt",
            "+one",
            "+",
            "*** Delete File: old.txt",
            "*** Move File: a b.txt -> c d.txt",
            "*** Update File: u.py",
            "*** Move to: v.py",
            "@@ class A:",
            "@@ def go(self): @@",
            " keep",
            "-gone",
            "+come",
            "*** End of File",
        )
    )
    assert patch.warnings == ()
    assert patch.sections == (
        AddSection("new/a.txt", 2, ("one", "")),
        DeleteSection("old.txt", 5),
        MoveSection("a b.txt", "c d.txt", 6),
        UpdateSection(
            "u.py",
            7,
            (
                Chunk(
                    (ChunkLine("context", "keep"), ChunkLine("remove", "gone"), ChunkLine("add", "come")),
                    9,
                    (Anchor("class A:", 9), Anchor("def go(self):", 10)),
                    end_of_file=True,
                ),
            ),
            "v.py",
        ),
    )


def test_only_the_first_character_of_a_line_is_its_prefix() -> None:
    chunk = updated(
        "@@", "-+a", "--b", "+ c", "++d", "  e", " @@", " *** Update File: x", "-*** End Patch", "+"
    )
    assert [(line.kind, line.text) for line in chunk.lines] == [
        ("remove", "+a"),
        ("remove", "-b"),
        ("add", " c"),
        ("add", "+d"),
        ("context", " e"),
        ("context", "@@"),
        ("context", "*** Update File: x"),
        ("remove", "*** End Patch"),
        ("add", ""),
    ]


def test_added_lines_may_look_like_anything() -> None:
    patch = parse_patch(envelope("*** Add File: p", "+*** End Patch", "++1", "+@@", "+*** Add File: q"))
    assert patch.sections == (AddSection("p", 2, ("*** End Patch", "+1", "@@", "*** Add File: q")),)
    assert patch.warnings == ()


def test_add_without_lines_is_an_empty_file() -> None:
    assert parse_patch(envelope("*** Add File: e")).sections == (AddSection("e", 2),)


def test_update_with_only_a_move_has_no_chunks() -> None:
    patch = parse_patch(envelope("*** Update File: a", "*** Move to: b"))
    assert patch.sections == (UpdateSection("a", 2, (), "b"),)


def test_the_last_marker_needs_no_line_end() -> None:
    assert parse_patch("*** Begin Patch\n*** Delete File: f\n*** End Patch").sections


SMALL = ("*** Update File: f", "@@", "-x", "+y")
SMALL_CHUNK = (ChunkLine("remove", "x"), ChunkLine("add", "y"))


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        pytest.param("Here it is:\n\n" + envelope(*SMALL), "line 1", "around the patch", id="prose-before"),
        pytest.param(envelope(*SMALL) + "Done.\n", "line 7", "around the patch", id="prose-after"),
        pytest.param("```diff\n" + envelope(*SMALL) + "```\n", "line 1", "around the patch", id="fence"),
        pytest.param(
            "apply_patch <<'EOF'\n" + envelope(*SMALL) + "EOF\n", "line 1", "around the patch", id="heredoc"
        ),
        pytest.param(
            '<<"EOF"\n' + envelope(*SMALL) + "EOF", "line 1", "around the patch", id="quoted-heredoc"
        ),
        pytest.param(envelope(*SMALL) + "*** thanks ***\n", "line 7", "around the patch", id="stars-after"),
        pytest.param(
            envelope(*SMALL) + " *** Delete File: g\n", "line 7", "around the patch", id="padded-header-after"
        ),
        pytest.param(
            envelope(*SMALL).replace("\n", "\r\n"), "lines 1, 2, 3, 4, 5 and 1 more", "CRLF", id="crlf"
        ),
        pytest.param(envelope(*SMALL).replace("-x\n", "-x\r\n"), "line 4", "CRLF", id="one-crlf"),
        pytest.param("\ufeff" + envelope(*SMALL), "line 1", "byte order mark", id="bom"),
        pytest.param("  " + envelope(*SMALL), "line 1", "around a marker", id="padded-begin"),
        pytest.param(
            envelope(*SMALL).replace("End Patch", "End Patch  "),
            "line 6",
            "around a marker",
            id="blanks-at-end",
        ),
        pytest.param(
            envelope(*SMALL).replace("*** End", "  *** End"), "line 6", "around a marker", id="padded-end"
        ),
        pytest.param(
            envelope("  *** Update File: f", *SMALL[1:]), "line 2", "around a marker", id="padded-header"
        ),
        pytest.param(
            envelope("*** Update File: f  ", *SMALL[1:]), "line 2", "around a marker", id="blanks-after-path"
        ),
        pytest.param(
            envelope(SMALL[0], "  @@", *SMALL[2:]), "line 3", "around a marker", id="padded-first-at"
        ),
        pytest.param(
            envelope(SMALL[0], "@@  ", *SMALL[2:]), "line 3", "around a marker", id="blanks-after-at"
        ),
        pytest.param(envelope(SMALL[0], *SMALL[2:]), "line 3", "without '@@'", id="no-first-at"),
        pytest.param(envelope("", *SMALL), "line 2", "blank lines", id="blank-after-begin"),
        pytest.param(envelope(SMALL[0], "", *SMALL[1:]), "line 3", "blank lines", id="blank-after-header"),
        pytest.param(envelope(SMALL[0], "@@", *SMALL[1:]), "line 4", "repeated", id="bare-at-twice"),
        pytest.param(
            envelope(SMALL[0], "@@ -1,3 +1,4 @@", *SMALL[2:]), "line 3", "numbers", id="unified-numbers"
        ),
        pytest.param(
            envelope(SMALL[0], "@@ -1 +1 @@", *SMALL[2:]), "line 3", "numbers", id="unified-numbers-short"
        ),
        pytest.param(
            envelope(SMALL[0], "@@ -1,3 +1,4", *SMALL[2:]), "line 3", "numbers", id="unified-numbers-open"
        ),
        pytest.param(envelope("*** Environment ID: e1", *SMALL), "line 2", "Environment", id="environment"),
    ],
)
def test_forgiven_with_a_warning(text: str, place: str, said: str) -> None:
    patch = parse_patch(text)
    (warning,) = patch.warnings
    assert warning.startswith(f"Patch {place}: ")
    assert said in warning
    chunk = only_chunk(patch)
    assert chunk.lines == SMALL_CHUNK
    assert chunk.anchors == ()


@pytest.mark.parametrize(
    ("between", "place", "said"),
    [
        pytest.param(("*** Delete File: d", "", "  "), "lines 3, 4", "blank lines", id="after-delete"),
        pytest.param(("*** Move File: d -> e", ""), "line 3", "blank lines", id="after-move"),
        pytest.param(("*** Add File: d", "+x", "", ""), "line 4", "blank lines", id="after-add"),
        pytest.param(
            ("*** Update File: d", "*** Move to: e", ""), "line 4", "blank lines", id="after-move-to"
        ),
        pytest.param(
            ("*** Update File: d", "@@", "+x", "*** End of File", ""), "line 6", "blank lines", id="after-eof"
        ),
        pytest.param(
            ("*** Delete File: d", "\t*** Add File: e"), "line 3", "around a marker", id="padded-after-delete"
        ),
        pytest.param(
            ("*** Add File: d", "+x", " *** Add File: e"), "line 4", "around a marker", id="padded-after-add"
        ),
        pytest.param(
            ("*** Update File: d", "@@", "+x", "*** End of File", "  @@", "+y"),
            "line 6",
            "around",
            id="padded-at-after-eof",
        ),
        pytest.param(
            ("*** Update File: d", "  *** Move to: e", "@@", "+x"), "line 3", "around", id="padded-move-to"
        ),
        pytest.param(
            ("*** Update File: d", "*** Move to: e", "  *** Delete File: g"),
            "line 4",
            "around",
            id="padded-after-move-to",
        ),
        pytest.param(
            ("*** Update File: d", "@@", "+x", "*** End of File  "), "line 5", "around", id="blanks-after-eof"
        ),
    ],
)
def test_forgiven_between_sections(between: tuple[str, ...], place: str, said: str) -> None:
    patch = parse_patch(envelope(*between, *SMALL))
    (warning,) = patch.warnings
    assert warning.startswith(f"Patch {place}: ")
    assert said in warning
    last = patch.sections[-1]
    assert isinstance(last, UpdateSection)
    assert last.chunks[0].lines == SMALL_CHUNK


def test_an_empty_line_in_a_chunk_is_an_empty_context_line() -> None:
    patch = parse_patch(envelope("*** Update File: f", "@@", " a", "", "-b", "", "", "@@", "-c"))
    (warning,) = patch.warnings
    assert warning.startswith("Patch lines 5, 7, 8: an empty line was read as")
    (section,) = patch.sections
    assert isinstance(section, UpdateSection)
    assert section.chunks[0].lines == (
        ChunkLine("context", "a"),
        ChunkLine("context", "", bare=True),
        ChunkLine("remove", "b"),
        ChunkLine("context", "", bare=True),
        ChunkLine("context", "", bare=True),
    )


@pytest.mark.parametrize("blank", ["", " ", "   "])
def test_blanks_before_the_first_at_are_no_chunk(blank: str) -> None:
    chunk = updated(blank, "@@ here", "-x")
    assert chunk.lines == (ChunkLine("remove", "x"),)
    assert chunk.anchors == (Anchor("here", 4),)


def test_a_blank_below_an_at_is_a_context_line() -> None:
    """Right below an Update header it may be spacing, below an ``@@`` it cannot."""
    assert updated("@@", " ").lines == updated(" ", "@@", " ").lines == (ChunkLine("context", ""),)
    assert updated(" *** End of File", "-x").old == ("*** End of File", "x")


def test_a_blank_line_between_narrowing_anchors_is_spacing() -> None:
    chunk = updated("@@ class A:", "", "@@ def f():", "-x")
    assert [anchor.text for anchor in chunk.anchors] == ["class A:", "def f():"]
    assert chunk.lines == (ChunkLine("remove", "x"),)


@pytest.mark.parametrize(
    ("at", "anchor"),
    [
        ("@@ def f():", "def f():"),
        ("@@ def f(): @@", "def f():"),
        ("@@     def f():", "    def f():"),
        ("@@\tdef f():", "def f():"),
        ("@@ -1,3 +1,3 @@ def f():", "def f():"),
        ("@@ -x +y", "-x +y"),
    ],
)
def test_anchor_texts(at: str, anchor: str) -> None:
    assert [one.text for one in updated(at, "-x").anchors] == [anchor]


@pytest.mark.parametrize("at", ["@@", "@@ ", "@@ @@", "@@ -4,2 +4,3 @@"])
def test_no_anchor(at: str) -> None:
    assert updated(at, "-x").anchors == ()


class TestNoNewline:
    MARKER = "\\ No newline at end of file"

    def test_after_the_last_line(self) -> None:
        assert updated("@@", "-x", "+y", self.MARKER).no_newline
        assert updated("@@", "-x", "+y", self.MARKER, "*** End of File").no_newline
        both = updated("@@", " w", "-x", "+y", "*** End of File", self.MARKER)
        assert both.no_newline
        assert both.end_of_file

    def test_between_removed_and_added_says_nothing_of_the_result(self) -> None:
        assert not updated("@@", "-x", self.MARKER, "+y").no_newline

    def test_after_a_removed_last_line_says_nothing_of_the_result(self) -> None:
        assert not updated("@@", " w", "-x", self.MARKER).no_newline

    def test_in_an_added_file(self) -> None:
        patch = parse_patch(envelope("*** Add File: f", "+x", self.MARKER))
        assert patch.sections == (AddSection("f", 2, ("x",), no_newline=True),)
        (warning,) = patch.warnings
        assert warning.startswith("Patch line 4: '\\ No newline at end of file' is no part")


class TestEndMarker:
    def test_an_indented_one_before_the_last_is_context(self) -> None:
        chunk = updated("@@", " *** End Patch", "-x", "+y")
        assert chunk.old == ("*** End Patch", "x")

    def test_an_indented_last_one_ends_the_patch(self) -> None:
        text = "*** Begin Patch\n*** Update File: f\n@@\n *** End Patch\n\n-x\n *** End Patch\n\nthanks\n"
        patch = parse_patch(text)
        assert only_chunk(patch).old == ("*** End Patch", "", "x")
        assert [one.partition(":")[0] for one in patch.warnings] == [
            f"Patch line {line}" for line in (5, 7, 9)
        ]

    @pytest.mark.parametrize("padding", ["\t", "\r", "\t ", "  "])
    def test_any_padding_of_it_may_stand_right_below_a_move(self, padding: str) -> None:
        patch = parse_patch(f"*** Begin Patch\n*** Update File: f\n*** Move to: g\n{padding}*** End Patch\n")
        assert patch.sections == (UpdateSection("f", 2, (), "g"),)
        (warning,) = patch.warnings
        assert warning.startswith("Patch line 4: blanks around a marker")

    def test_a_padded_one_right_below_an_update_is_no_chunk(self) -> None:
        assert refusal("*** Begin Patch\n*** Update File: f\n\t*** End Patch\n").data["line"] == 2

    def test_an_error_between_two_of_them_counts(self) -> None:
        error = refusal("*** Begin Patch\n*** Update File: f\n@@\n-x\n *** End Patch\nbad\n*** End Patch\n")
        assert error.data["line"] == 6

    def test_an_indented_one_without_chunk_lines_is_refused(self) -> None:
        error = refusal("*** Begin Patch\n*** Update File: f\n  *** End Patch\n")
        assert error.data["line"] == 2

    def test_an_empty_chunk_before_the_real_one_is_refused_even_below_a_possible_end(self) -> None:
        text = "*** Begin Patch\n*** Update File: f\n@@\n-x\n *** End Patch\n@@\n*** End Patch\n"
        assert refusal(text).data["line"] == 6

    def test_sections_below_an_indented_last_one_are_not_dropped(self) -> None:
        text = "*** Begin Patch\n*** Update File: f\n@@\n-x\n *** End Patch\n*** Delete File: g\n"
        assert refusal(text).data["line"] == 6


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        pytest.param("", 1, "*** Begin Patch", id="nothing"),
        pytest.param(" \n", 1, "*** Begin Patch", id="blank"),
        pytest.param("just words\nand more", 2, "*** Begin Patch", id="prose-only"),
        pytest.param("*** Update File: f\n@@\n-x\n" + END, 1, "*** Begin Patch", id="no-begin"),
        pytest.param("words\n" + END + "words\n", 2, "*** Begin Patch", id="only-end"),
        pytest.param(BEGIN + "*** Update File: f\n@@\n-x\n", 4, "*** End Patch", id="no-end"),
        pytest.param(BEGIN + "*** Update File: f\n@@\n-ke", 4, "*** End Patch", id="cut-off"),
        pytest.param(BEGIN, 1, "*** End Patch", id="only-begin"),
        pytest.param(BEGIN + END, 2, "*** Add File: <path>", id="no-section"),
        pytest.param(envelope("*** Frobnicate File: f"), 2, "*** Update File: <path>", id="unknown-header"),
        pytest.param(
            envelope("***Update File: f", "@@", "-x"), 2, "*** Update File: f", id="no-blank-in-header"
        ),
        pytest.param(envelope("*** update file: f", "@@", "-x"), 2, "*** Update File: f", id="small-letters"),
        pytest.param(
            envelope("*** Update File:f", "@@", "-x"), 2, "*** Update File: f", id="no-blank-before-path"
        ),
        pytest.param(envelope("*** Update File: ", "@@", "-x"), 2, "*** Update File: <path>", id="no-path"),
        pytest.param(
            envelope("--- a/f", "+++ b/f", "@@", "-x"), 2, "*** Update File: <path>", id="unified-diff"
        ),
        pytest.param(envelope("*** Update File: f"), 2, "@@", id="empty-update"),
        pytest.param(
            envelope("*** Update File: f", "*** Delete File: g"), 2, "@@", id="empty-update-then-more"
        ),
        pytest.param(
            envelope("*** Update File: f", " *** Delete File: g"), 2, "@@", id="empty-update-then-padded"
        ),
        pytest.param(envelope("*** Update File: f", "@@"), 3, "-<removed line>", id="empty-chunk"),
        pytest.param(envelope("*** Update File: f", " "), 3, "-<removed line>", id="only-spacing"),
        pytest.param(
            envelope("*** Update File: f", "*** End of File"), 3, "+<added line>", id="only-eof-without-at"
        ),
        pytest.param(envelope("*** Update File: f", "@@ a", "@@ b"), 4, "-<removed line>", id="only-anchors"),
        pytest.param(
            envelope("*** Update File: f", "@@", "-x", "@@"), 5, "-<removed line>", id="empty-last-chunk"
        ),
        pytest.param(
            envelope("*** Update File: f", "@@", "*** End of File"), 3, "+<added line>", id="only-eof"
        ),
        pytest.param(envelope("*** Update File: f", "@@", "x", "-y"), 4, " <unchanged line>", id="no-prefix"),
        pytest.param(envelope("*** Update File: f", "x", "-y"), 3, " <unchanged line>", id="no-prefix-no-at"),
        pytest.param(
            envelope("*** Update File: f", "@@", "-y", "\tx"), 5, " <unchanged line>", id="tab-prefix"
        ),
        pytest.param(envelope("*** Update File: f", "@@def f():", "-y"), 3, "@@", id="no-blank-after-at"),
        pytest.param(
            envelope("*** Update File: f", "@@", "-a", ">>>>>>> REPLACE"), 5, "@@", id="stray-marker"
        ),
        pytest.param(
            envelope("*** Update File: f", "@@", "-a", "*** Nope"), 5, "*** End Patch", id="header-in-chunk"
        ),
        pytest.param(
            envelope("*** Update File: f", "@@", "-a", "*** End of File", "-b"), 6, "@@", id="lines-after-eof"
        ),
        pytest.param(
            envelope("*** Update File: f", "@@", "-a", "*** Move to: g"),
            5,
            "*** Add File: <path>",
            id="late-move",
        ),
        pytest.param(
            envelope("*** Update File: f", "*** Move to: "), 3, "*** Move to: <path>", id="move-nowhere"
        ),
        pytest.param(
            envelope("*** Update File: f", "*** Move to: g", "*** Move to: h"), 4, "@@", id="two-moves-of-one"
        ),
        pytest.param(
            envelope("*** Move File: a"), 2, "*** Move File: <path> -> <path>", id="move-file-one-path"
        ),
        pytest.param(
            envelope("*** Move File: a -> "), 2, "*** Move File: <path> -> <path>", id="move-file-no-end"
        ),
        pytest.param(envelope("*** Move File: a -> b -> c"), 2, "*** Move to: <path>", id="two-arrows"),
        pytest.param(
            envelope("*** Move File: a ->  -> c"), 2, "*** Move to: <path>", id="two-arrows-in-a-row"
        ),
        pytest.param(
            envelope("*** Move File: a -> b", "@@", "-x"), 3, "*** Update File: <path>", id="move-file-chunk"
        ),
        pytest.param(
            envelope("*** Delete File: a", "-x"), 3, "*** Delete File: <path>", id="lines-of-a-delete"
        ),
        pytest.param(envelope("*** Add File: a", "+x", "plain"), 4, "+<line>", id="add-no-prefix"),
        pytest.param(envelope("*** Add File: a", "+x", "", "+y"), 4, "+<line>", id="add-empty-line"),
        pytest.param(envelope("*** Add File: a", "", "+y"), 3, "+<line>", id="add-empty-first-line"),
        pytest.param(envelope("*** Add File: a", " +y"), 3, "+<line>", id="add-padded-line"),
        pytest.param(envelope("*** Add File: a", "+x", "*** End of File"), 4, "+<line>", id="add-eof"),
        pytest.param(envelope(*SMALL) + envelope(*SMALL), 7, "*** End Patch", id="two-envelopes"),
        pytest.param(envelope(*SMALL) + "*** Delete File: g\n", 7, "*** End Patch", id="section-after-end"),
        pytest.param(envelope(*SMALL) + END, 7, "*** End Patch", id="two-ends"),
        pytest.param(envelope(*SMALL, "*** Begin Patch"), 6, "*** End Patch", id="two-begins"),
        pytest.param(envelope(*SMALL, "*** Environment ID: e"), 6, "*** End Patch", id="late-environment"),
    ],
)
def test_refused_with_line_and_expectation(text: str, line: int, expected: str) -> None:
    error = refusal(text)
    assert error.code is Code.FS_INVALID_PATCH
    assert error.data["line"] == line
    assert expected in error.data["expected"]
    assert error.message.startswith(f"Patch line {line}: ")


@pytest.mark.parametrize(
    "lines",
    [
        ("*** Add File: dir/f", "plain"),
        ("*** Add File: dir/f", "+x", "", "+y"),
        ("*** Update File: dir/f",),
        ("*** Update File: dir/f", "@@"),
        ("*** Update File: dir/f", "*** End of File"),
        ("*** Update File: dir/f", "*** Move to: g", "*** Move to: h"),
        ("*** Update File: dir/f", "@@", "plain"),
    ],
)
def test_an_error_inside_a_section_names_its_file(lines: tuple[str, ...]) -> None:
    assert refusal(envelope(*lines)).file_path == "dir/f"
    assert refusal(BEGIN + "*** Update File: dir/f\n@@\n-x\n").file_path == "dir/f"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("*** Update File: f\n" + END, "put that line before this one"),
        ("words", "was found. A patch has real line breaks"),
        (envelope(*SMALL, "*** Begin Patch"), "one text holds one patch"),
    ],
)
def test_what_is_wrong_with_the_envelope_is_said(text: str, said: str) -> None:
    assert said in refusal(text).message


@pytest.mark.parametrize(
    ("limits", "text", "name", "line"),
    [
        (PatchLimits(patch_bytes=40), envelope("*** Add File: é", "+é", "+é"), "patch_bytes", 4),
        (PatchLimits(patch_files=1), envelope("*** Delete File: a", "*** Delete File: b"), "patch_files", 3),
        (
            PatchLimits(patch_chunks=1),
            envelope("*** Update File: a", "@@", "-x", "@@", "-y"),
            "patch_chunks",
            5,
        ),
        (
            PatchLimits(patch_lines=2),
            envelope("*** Update File: a", "@@", "-x", "+y", " z"),
            "patch_lines",
            6,
        ),
        (PatchLimits(patch_lines=2), envelope("*** Add File: a", "+x", "+y", "+z"), "patch_lines", 5),
    ],
)
def test_limits(limits: PatchLimits, text: str, name: str, line: int) -> None:
    error = refusal(text, limits)
    assert error.code is Code.FS_TOO_LARGE
    assert error.data == {"limit": getattr(limits, name), "limit_name": name, "line": line}


def test_half_a_character_counts_as_it_would_be_sent() -> None:
    text = envelope("*** Add File: a", "+\ud800")
    size = len(text) + 2
    assert parse_patch(text, PatchLimits(patch_bytes=size)).sections
    assert refusal(text, PatchLimits(patch_bytes=size - 1)).code is Code.FS_TOO_LARGE


def test_limits_are_inclusive() -> None:
    text = envelope("*** Update File: é", "@@", "-x", "@@", "+y", "*** Update File: é", "@@", "-z")
    limits = PatchLimits(len(text.encode()), patch_files=1, patch_chunks=3, patch_lines=3)
    assert len(parse_patch(text, limits).sections) == 2


class TestFeed:
    def test_progress_follows_complete_lines(self) -> None:
        feed = PatchFeed()
        assert feed.progress().files == 0
        feed.append("*** Begin Patch\n*** Update File: a\n@@\n-x\n+")
        assert (feed.progress().files, feed.progress().chunks, feed.progress().lines) == (1, 1, 1)
        assert feed.progress().path == "a"
        feed.append("y\n*** Add File: b\n+z\n*** End")
        assert (feed.progress().files, feed.progress().lines, feed.progress().complete) == (2, 3, False)
        feed.append(" Patch\n")
        assert feed.progress().complete
        sections: tuple[Section, ...] = feed.commit().sections
        assert [section.path for section in sections] == ["a", "b"]
        assert feed.commit().sections is sections

    def test_refuses_as_soon_as_it_is_certain_and_stays_so(self) -> None:
        feed = PatchFeed()
        with pytest.raises(CoeditorError) as first:
            feed.append("*** Begin Patch\n*** Update File: a\n@@\nbad\n")
        for call in (lambda: feed.append("-x\n"), feed.commit):
            with pytest.raises(CoeditorError) as again:
                call()
            assert again.value is first.value

    def test_a_line_that_never_ends_is_refused_at_the_limit(self) -> None:
        feed = PatchFeed(PatchLimits(patch_bytes=100))
        feed.append("*** Begin Patch\n*** Add File: a\n+")
        feed.append("x" * 60)
        with pytest.raises(CoeditorError) as caught:
            feed.append("x" * 60)
        assert caught.value.code is Code.FS_TOO_LARGE
        assert caught.value.data["line"] == 3

    def test_a_line_that_is_as_long_as_the_limit_is_not_refused_for_that(self) -> None:
        PatchFeed(PatchLimits(patch_bytes=5)).append("*** B")
        text = envelope("*** Delete File: a").removesuffix("\n")
        assert parse_patch(text, PatchLimits(patch_bytes=len(text))).sections

    def test_a_last_line_comes_in_pieces(self) -> None:
        feed = PatchFeed()
        for piece in ("*** Begin Patch\n*** Delete File: a\n*** End", " Pa", "tch"):
            feed.append(piece)
        assert feed.commit().sections == (DeleteSection("a", 2),)

    def test_refuses_to_commit_for_the_same_reason_every_time(self) -> None:
        feed = PatchFeed()
        feed.append("*** Begin Patch\n")
        refusals = []
        for _ in range(2):
            with pytest.raises(CoeditorError) as caught:
                feed.commit()
            refusals.append(caught.value)
        assert refusals[0] is refusals[1]

    def test_nothing_more_after_commit(self) -> None:
        feed = PatchFeed()
        feed.append(envelope(*SMALL))
        feed.commit()
        with pytest.raises(CoeditorError) as caught:
            feed.append("more")
        assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("lines", "seen_by"),
    [
        (("*** Frobnicate File: f", "+x", "+y"), 2),
        (("*** Add File: f", "+x", "plain", "+y"), 4),
        (("*** Update File: f", "@@", "x", "-y", "-z"), 4),
        # Only what follows tells that nothing more comes.
        (("*** Update File: f", "*** Delete File: g", "*** Delete File: h"), 3),
        (("*** Update File: f", "@@ a", "@@ b", "*** Delete File: h"), 5),
        (("*** Move File: a -> ", "*** Delete File: h"), 2),
    ],
)
def test_a_feed_refuses_as_soon_as_a_line_tells(lines: tuple[str, ...], seen_by: int) -> None:
    feed = PatchFeed()
    written = envelope(*lines).splitlines(keepends=True)
    for line in written[: seen_by - 1]:
        feed.append(line)
    with pytest.raises(CoeditorError) as caught:
        feed.append(written[seen_by - 1])
    assert caught.value.code is Code.FS_INVALID_PATCH
