"""What the chunks of an Update make of a text: places, bytes kept, endings, last lines, and refusals."""

from __future__ import annotations

import pytest

from editor_clients.lines import apply_replacements
from ledger.errors import Code, CoeditorError
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_apply import ChunkOutcome, apply_chunks
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_types import UpdateSection


def update(*lines: str) -> UpdateSection:
    text = "\n".join(("*** Begin Patch", "*** Update File: dir/f", *lines, "*** End Patch"))
    (section,) = parse_patch(text).sections
    assert isinstance(section, UpdateSection)
    return section


def applied(text: str, *lines: str, tolerant: bool = True) -> ChunkOutcome:
    outcome = apply_chunks(text, update(*lines), tolerant=tolerant)
    assert apply_replacements(text, outcome.replacements) == outcome.after
    return outcome


def refusal(text: str, *lines: str, tolerant: bool = True) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        apply_chunks(text, update(*lines), tolerant=tolerant)
    error = caught.value
    assert error.file_path == "dir/f"
    assert error.data["line"] >= 3
    return error


TWO_CLASSES = "class A:\n    def go(self):\n        pass\n\nclass B:\n    def go(self):\n        pass\n"


@pytest.mark.parametrize(
    ("text", "lines", "after"),
    [
        pytest.param("a\nb\nc\n", ("@@", " a", "-b", "+B", " c"), "a\nB\nc\n", id="replace"),
        pytest.param("a\nb\nc\n", ("@@", "-b"), "a\nc\n", id="remove"),
        pytest.param("a\nb\n", ("@@", "-a", "-b"), "", id="remove-all"),
        pytest.param("a\nb\n", ("@@", "+0", " a"), "0\na\nb\n", id="insert-at-the-start"),
        pytest.param("a\nb\n", ("@@", " a", "+x", " b"), "a\nx\nb\n", id="insert-between"),
        pytest.param("a\nb\n", ("@@", "-a", "+1", "+2", " b", "+3"), "1\n2\nb\n3\n", id="two-groups"),
        pytest.param("a\nb\nc\nd\n", ("@@", "-a", "+A", "@@", "-c", "+C"), "A\nb\nC\nd\n", id="two-chunks"),
        pytest.param("a\nb\nc\n", ("@@", "-c", "+C", "@@", "-a", "+A"), "A\nb\nC\n", id="wrong-order"),
        pytest.param(
            "a\nb\na\nb\n", ("@@", "-b", "+c", "@@", "-b", "+d"), None, id="never-the-first-silently"
        ),
        pytest.param("x\na\nx\n", ("@@", "-a", "+b", "@@", "-x", "+y"), "x\nb\ny\n", id="forward-first"),
        pytest.param("a\nb\n", ("@@", " a", "@@", "-b", "+c"), "a\nc\n", id="a-chunk-of-context-leads-on"),
        pytest.param("", ("@@", "+a"), "a\n", id="into-an-empty-file"),
        pytest.param("a\n", ("@@", "+b", "+c"), "a\nb\nc\n", id="at-the-end"),
        pytest.param("a\n\n\n", ("@@", "+b"), "a\n\n\nb\n", id="at-the-end-below-blank-lines"),
        pytest.param("a\nb\n", ("@@ a", "+x"), "a\nx\nb\n", id="below-its-anchor"),
        pytest.param(
            "a\nb\n", ("@@ a", "+x", "*** End of File"), "a\nb\nx\n", id="end-of-file-beats-the-anchor"
        ),
        pytest.param("a\nb\n", ("@@", "+x", "@@", "-a", "+A"), "A\nb\nx\n", id="at-the-end-then-above"),
        pytest.param("a\nb\n", ("@@ a", "+x", "@@ a", "+y"), "a\nx\ny\nb\n", id="twice-below-one-anchor"),
        pytest.param(
            "a\nb\n", ("@@", "-b", "+B", "@@ a", "+x"), "a\nx\nB\n", id="insert-before-a-replaced-line"
        ),
        pytest.param(
            "a\nb\n", ("@@", "-a", "+A", "@@ a", "+x"), "A\nx\nb\n", id="insert-below-a-replaced-anchor"
        ),
        pytest.param(
            "0\na\nb\nc\n", ("@@", "-a", " b", "-c", "+C"), "0\nb\nC\n", id="groups-below-the-first-line"
        ),
        pytest.param("aX\nb\n", ("@@", "-aX", "+b X"), "b X\nb\n", id="any-letter-at-the-end-of-a-line"),
        pytest.param("a\nb\n", ("@@", "+x", ""), "a\nb\nx\n", id="spacing-below-an-addition"),
        pytest.param("a\n", ("@@", "+x", "+y", ""), "a\nx\ny\n", id="spacing-below-two-added-lines"),
        pytest.param(
            "a\nx\na\n\n", ("@@", "-a", "+A", "", ""), "a\nx\nA\n\n", id="as-many-empty-lines-as-fit"
        ),
        pytest.param("a\nb\n", ("@@", "+B", "-b", " "), "a\nB\n", id="empty-context-below-a-removed-line"),
        pytest.param(
            "a\nb\na\n", ("@@ b", "+x", "@@", "-a", "+A"), "a\nb\nx\nA\n", id="below-an-addition-first"
        ),
        pytest.param(
            "a\nb\n", ("@@", "+x", "", "*** End of File"), "a\nb\nx\n", id="spacing-before-end-of-file"
        ),
        pytest.param("a\n\nb\n", ("@@", "-a", "+A", ""), "A\n\nb\n", id="an-empty-line-that-fits-is-context"),
        pytest.param("a\nb\n", ("@@", "-a", "+A", "", ""), "A\nb\n", id="empty-lines-that-do-not-fit"),
        pytest.param("a\nb\n", ("@@", "-b", "+B", " "), "a\nB\n", id="last-empty-context-that-does-not-fit"),
    ],
)
def test_where_chunks_go(text: str, lines: tuple[str, ...], after: str | None) -> None:
    if after is None:
        assert refusal(text, *lines).code is Code.FS_AMBIGUOUS_MATCH
    else:
        assert applied(text, *lines).after == after


@pytest.mark.parametrize(
    ("text", "lines", "after"),
    [
        pytest.param(
            TWO_CLASSES,
            ("@@ class B:", "     def go(self):", "-        pass", "+        return 2"),
            TWO_CLASSES[:-5] + "return 2\n",
            id="the-second-of-two",
        ),
        pytest.param(
            TWO_CLASSES,
            ("@@ class B:", "@@     def go(self):", "-        pass", "+        return 2"),
            TWO_CLASSES[:-5] + "return 2\n",
            id="narrowed-twice",
        ),
        pytest.param(
            TWO_CLASSES,
            ("@@ def go(self):", "@@ def go(self):", "-        pass", "+        return 2"),
            TWO_CLASSES[:-5] + "return 2\n",
            id="repeated-in-a-row",
        ),
        pytest.param(
            TWO_CLASSES,
            ("@@ def go(self):", "@@ def go(self):", "+        # second"),
            TWO_CLASSES[:-13] + "        # second\n        pass\n",
            id="repeated-before-an-addition",
        ),
        pytest.param(
            "f\na\nf\nb\n",
            ("@@ f", "-a", "+A", "@@ f", "+x"),
            "f\nA\nf\nx\nb\n",
            id="repeated-in-the-next-chunk",
        ),
        pytest.param(
            "f\na\nb\n",
            ("@@ f", "-a", "+A", "@@ f", "-b", "+B"),
            "f\nA\nB\n",
            id="used-for-two-chunks-below-it",
        ),
        pytest.param(
            "a = 1\ngo\n", ("@@ go", "-a = 1", "+a = 2"), "a = 2\ngo\n", id="lines-above-the-anchor"
        ),
        pytest.param("go\nx\n", ("@@ go", " go", "-x", "+y"), "go\ny\n", id="anchor-repeated-as-context"),
        pytest.param(
            "go\nx\nB\ngo\nx\n",
            ("@@ B", "@@ go", " go", "-x", "+y"),
            "go\nx\nB\ngo\ny\n",
            id="anchor-repeated-as-context-of-the-second",
        ),
        pytest.param("  go\nx\n", ("@@ go", "-x", "+y"), "  go\ny\n", id="indentation-of-an-anchor"),
        pytest.param("  go\nx\n", ("@@ go", "+\ty"), "  go\n\ty\nx\n", id="an-addition-as-sent-below-it"),
        pytest.param("go  \nx\n", ("@@ go", "-x", "+y"), "go  \ny\n", id="blanks-behind-an-anchor"),
        pytest.param("say “go”\nx\n", ('@@ say "go"', "-x", "+y"), "say “go”\ny\n", id="quotes-of-an-anchor"),
        pytest.param(
            "  def go(a):\nx\n", ("@@ def go", "-x", "+y"), "  def go(a):\ny\n", id="start-of-a-line"
        ),
        pytest.param(
            "def go(“a”):\nx\n", ('@@ def go("a"', "-x", "+y"), "def go(“a”):\ny\n", id="start-with-quotes"
        ),
        pytest.param("go on\ngo\nx\n", ("@@ go", "+y"), "go on\ngo\ny\nx\n", id="whole-line-before-start"),
        pytest.param(
            TWO_CLASSES,
            ("@@ B.go", "+        # b"),
            TWO_CLASSES[:-13] + "        # b\n        pass\n",
            id="path",
        ),
        pytest.param(
            "b\nx\na\nx\n", ("@@ a", "-x", "+y", "@@ b", "+z"), "b\nz\nx\na\ny\n", id="anchor-further-up"
        ),
        pytest.param(
            "a\ndef go():\nx\n", ("@@ def", "-x", "+y"), "a\ndef go():\ny\n", id="start-below-another"
        ),
        pytest.param(
            'say "go" a\nsay “go” b\nx\n',
            ('@@ say "go"', "+y"),
            'say "go" a\ny\nsay “go” b\nx\n',
            id="start-as-sent",
        ),
        pytest.param("f\nf\nf\n", ("@@ f", "@@ f", "+x"), "f\nf\nx\nf\n", id="repeated-in-a-row-of-three"),
        pytest.param(
            "f\na\nf\nb\nf\n",
            ("@@ f", "-b", "+B", "@@ f", "+x"),
            "f\na\nf\nx\nB\nf\n",
            id="the-next-after-the-last-used",
        ),
        pytest.param(
            "f\n  f\nb\nc\n",
            ("@@ f", "-b", "+B", "@@ f", "+x"),
            "f\nx\n  f\nB\nc\n",
            id="no-next-that-fits-as-well",
        ),
        pytest.param("f\nx\n", ("@@ -1,2 +1,2 @@ f", "-x", "+y"), "f\ny\n", id="heading-of-a-unified-hunk"),
    ],
)
def test_anchors(text: str, lines: tuple[str, ...], after: str) -> None:
    assert applied(text, *lines).after == after


@pytest.mark.parametrize(
    ("text", "lines", "code", "named"),
    [
        pytest.param("a\nx\n", ("@@ nope", "-x"), Code.FS_NO_MATCH, "'nope'", id="absent"),
        pytest.param(
            "B\nA\nx\n", ("@@ A", "@@ B", "-x"), Code.FS_NO_MATCH, "'B'", id="not-below-the-one-before"
        ),
        pytest.param("g\n", ("@@ g", "@@ g", "+x"), Code.FS_NO_MATCH, "'g'", id="repeated-but-there-once"),
        pytest.param(
            "go 1\ngo 2\nx\n", ("@@ go", "-x"), Code.FS_AMBIGUOUS_MATCH, "1, 2", id="start-of-two-lines"
        ),
        pytest.param(
            "s\nx\ns\ny\n", ("@@ s", "+z"), Code.FS_AMBIGUOUS_MATCH, "1, 3", id="addition-below-two"
        ),
        pytest.param("s\nx\ns\nx\n", ("@@ s", "-x"), Code.FS_AMBIGUOUS_MATCH, "2, 4", id="two-places-below"),
        pytest.param("s\nx\n", ("@@ s", "-y"), Code.FS_NO_MATCH, "chunk's old lines", id="nothing-fits"),
        pytest.param(
            "f\nA\nf\nx\nf\n",
            ("@@ f", "-x", "@@ A", "@@ f", "+y"),
            Code.FS_AMBIGUOUS_MATCH,
            "3, 5",
            id="used-above-the-anchor-before",
        ),
        pytest.param("A:\n  x\n", ("@@ A.nope", "+y"), Code.FS_NO_MATCH, "'A.nope'", id="no-such-name"),
        pytest.param(
            "def go(): x\n", ("@@ def go():", "-y"), Code.FS_NO_MATCH, "old lines", id="start-but-no-chunk"
        ),
    ],
)
def test_anchors_refused(text: str, lines: tuple[str, ...], code: Code, named: str) -> None:
    error = refusal(text, *lines)
    assert error.code is code
    assert named in error.message


def test_a_missing_anchor_is_named_with_its_own_line() -> None:
    error = refusal("a\nx\n", "@@ a", "@@ gone", "-x")
    assert error.data == {"line": 4, "anchor": "gone", "expected": ["gone"]}
    assert "the anchor 'gone' below line 1, where" in error.message
    assert "the anchor 'gone'. An anchor" in refusal("a\n", "@@ gone", "-a").message


@pytest.mark.parametrize(("count", "named"), [(2, "(1, 2)"), (21, "19, 20, ...)")])
def test_of_many_lines_that_start_with_an_anchor_some_are_named(count: int, named: str) -> None:
    error = refusal("".join(f"go {number}\n" for number in range(count)), "@@ go", "+x")
    assert named in error.message
    lines = list(range(1, min(count, 20) + 1))
    hits = error.data.pop("hits")
    assert [hit["lines"] for hit in hits] == [[line, line] for line in lines]
    assert error.data == {"line": 3, "lines": lines, "count": count, "anchor": "go"}


class TestPathsOfNames:
    """``@@ Outer.inner``: what is declared, however it is indented, and only inside."""

    BRACES = (
        "class A\n{\n    void go()\n    {\n    }\n}\nclass B\n{\n    void go()\n    {\n        x\n    }\n}\n"
    )

    @pytest.mark.parametrize(
        ("text", "anchor", "line"),
        [
            pytest.param(TWO_CLASSES, "B.go", 6, id="second"),
            pytest.param(TWO_CLASSES, "B.go()", 6, id="called"),
            pytest.param(TWO_CLASSES, "A.go", 2, id="first"),
            pytest.param(BRACES, "A.go", 3, id="braces-first"),
            pytest.param(BRACES, "B::go", 9, id="braces-second"),
            pytest.param("def go(): 1\n" + TWO_CLASSES, "A.go", 3, id="above-it-as-well"),
            pytest.param("class A:\n    def go(): 1\n    b = go\n", "A.go", 2, id="named-but-not-declared"),
            pytest.param("class A:\n\tdef go(): 1\n\n    def be(): 1\n", "A.be", 4, id="tabs-are-four"),
            pytest.param(
                "class A:\n\tdef go(): 1\n     def go(): 1\n", "A.go", 2, id="a-tab-is-less-than-five"
            ),
            pytest.param("class A:\n  def go(): " + "x" * 288 + "\n", "A.go", 2, id="long"),
        ],
    )
    def test_lead_to_a_line(self, text: str, anchor: str, line: int) -> None:
        outcome = applied(text, f"@@ {anchor}", "+x")
        assert outcome.matches[0].lines == (line, line)
        assert outcome.matches[0].level is Level.INDENTATION
        assert [one.rpartition(", ")[2] for one in outcome.warnings] == [f"declared on line {line}."]

    @pytest.mark.parametrize(
        ("text", "anchor"),
        [
            pytest.param("class B: 1\nclass C:\n    def go(): 1\n", "B.go", id="in-the-next"),
            pytest.param("class B\n{\n}\n    void go()\n", "B.go", id="below-its-brace"),
            pytest.param("class A:\n    def go(): 1\n    def go(): 2\n", "A.go", id="twice"),
            pytest.param("class A:\n  def go(): " + "x" * 289 + "\n", "A.go", id="too-long"),
            pytest.param("class A:\n    def go(): 1\n", "A.1", id="no-name"),
        ],
    )
    def test_lead_nowhere(self, text: str, anchor: str) -> None:
        assert refusal(text, f"@@ {anchor}", "+x").data["anchor"] == anchor


def test_only_the_exact_level_without_tolerance() -> None:
    assert applied("  go\nx\n", "@@ go", "-x", "+y", tolerant=False).after == "  go\ny\n"
    assert refusal("say “go” a\nx\n", '@@ say "go"', "-x", tolerant=False).code is Code.FS_NO_MATCH


@pytest.mark.parametrize(
    ("text", "lines", "level", "after"),
    [
        ("x = 1  \ny\n", ("@@", "-x = 1", "+x = 9", " y"), Level.TRAILING_SPACE, "x = 9\ny\n"),
        ("x = 1  \ny\n", ("@@", " x = 1", "-y", "+z"), Level.TRAILING_SPACE, "x = 1  \nz\n"),
        ("x = 1\ny\n", ("@@", "-x = 1  ", "+x = 9"), Level.TRAILING_SPACE, "x = 9\ny\n"),
        ("1–2 “ok”\n", ("@@", '-1-2 "ok"', '+3-4 "ok"'), Level.TYPOGRAPHIC, "3–4 “ok”\n"),
        ("cafe\u0301\n", ("@@", "-caf\u00e9", "+tea"), Level.TYPOGRAPHIC, "tea\n"),
        ("a\u00a0b\nc\n", ("@@", " a b", "-c", "+d"), Level.TYPOGRAPHIC, "a\u00a0b\nd\n"),
        ("if x:\n    a\n    b\n", ("@@", "-a", "+A", " b"), Level.INDENTATION, "if x:\n    A\n    b\n"),
        ("\ta\n\t\tb\n", ("@@", "     a", "-        b", "+        c"), Level.INDENTATION, "\ta\n\t\tc\n"),
        ("  a\n", ("@@", " a", "+b"), Level.INDENTATION, "  a\n  b\n"),
    ],
)
def test_levels(text: str, lines: tuple[str, ...], level: Level, after: str) -> None:
    outcome = applied(text, *lines)
    assert outcome.after == after
    assert [match.level for match in outcome.matches] == [level]
    assert refusal(text, *lines, tolerant=False).code is Code.FS_NO_MATCH


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("k\nv\nk\nv\n", ("@@", "-v", "+V"), id="exact"),
        pytest.param("a\na\na\n", ("@@", "-a", "-a"), id="overlapping"),
        pytest.param("a \nb\na  \n", ("@@", "-a", "+c"), id="trailing-space"),
        pytest.param("“a”\n„a“\n", ("@@", '-"a"', "+c"), id="two-spellings"),
        pytest.param("if a:\n  t\nif c:\n    t\n", ("@@", "-      t", "+      T"), id="indentation"),
    ],
)
def test_two_places_are_refused_with_their_lines(text: str, lines: tuple[str, ...]) -> None:
    error = refusal(text, *lines)
    assert error.code is Code.FS_AMBIGUOUS_MATCH
    assert len(error.data["lines"]) == error.data["count"] == 2
    assert all(str(line) in error.message for line in error.data["lines"])
    assert [hit["lines"][0] for hit in error.data["hits"]] == error.data["lines"]


@pytest.mark.parametrize(("count", "named"), [(2, "(lines 1, 2)"), (20, "19, 20)"), (21, "19, 20, ...)")])
def test_of_many_places_some_are_named(count: int, named: str) -> None:
    error = refusal("a\n" * count, "@@", "-a", "+b")
    assert error.data["count"] == count
    assert error.data["lines"] == list(range(1, min(count, 20) + 1))
    assert error.data["line"] == 3
    assert named in error.message


@pytest.mark.parametrize(
    ("text", "lines", "level"),
    [
        ("a\n", ("@@", "+x"), Level.EXACT),
        ("a\n", ("@@ a", "+x"), Level.EXACT),
        ("a \n", ("@@ a", "+x"), Level.TRAILING_SPACE),
        (" a\n", ("@@ a", "+x"), Level.INDENTATION),
        ("a b\n", ("@@ a", "+x"), Level.INDENTATION),
    ],
)
def test_an_addition_fits_as_its_anchor_does(text: str, lines: tuple[str, ...], level: Level) -> None:
    assert [match.level for match in applied(text, *lines).matches] == [level]


def test_a_repeated_anchor_fits_as_it_stands_where_it_is_next() -> None:
    matches = applied("f\na\nf\nb\n", "@@ f", "-b", "+B", "@@ f", "+x").matches
    assert [match.level for match in matches] == [Level.EXACT, Level.EXACT]


def test_the_first_level_that_hits_decides() -> None:
    assert applied("  two\ntwo\n", "@@", "-two", "+TWO").after == "  two\nTWO\n"


def test_an_indentation_that_would_be_a_guess_is_refused() -> None:
    error = refusal("\ta\n", "@@", "     a", "+       b")
    assert error.code is Code.FS_NO_MATCH
    assert "indentation" in error.message
    assert "old_string" not in error.message
    assert error.data["nearest"]["lines"] == [1, 1]


def test_a_miss_shows_the_nearest_lines_in_the_patchs_words() -> None:
    error = refusal("int compute_total(int a) {\n  return a;\n}\n", "@@", "-int compute_totl(int a) {")
    assert error.code is Code.FS_NO_MATCH
    assert error.data["nearest"]["lines"] == [1, 1]
    assert error.data["expected"] == ["int compute_totl(int a) {"]
    assert "old_string" not in error.message + str(error.data)


@pytest.mark.parametrize(
    ("text", "applied_already"), [("1\nx\n2\n", True), ("1\nx\n2\n1\nx\n2\n", False), ("1\nxx\n2\n", False)]
)
def test_a_patch_that_was_applied_before(text: str, applied_already: bool) -> None:
    error = refusal(text, "@@", " 1", "+x", " 2")
    assert (error.data.get("reason") == "already_applied") is applied_already


class TestOverlap:
    @pytest.mark.parametrize(
        "lines",
        [
            pytest.param(("@@", "-b", "+B", "@@", "-b", "+C"), id="same-line-twice"),
            pytest.param(("@@", "-b", "+c", "@@", "-c", "+d"), id="the-result-of-the-one-before"),
            pytest.param(("@@", " a", "-b", "@@", "-a"), id="inside-the-one-before"),
            pytest.param(("@@", " a", "-b", " d", "@@ a", "+x"), id="addition-inside"),
        ],
    )
    def test_is_refused(self, lines: tuple[str, ...]) -> None:
        assert refusal("a\nb\nd\n", *lines).code is Code.FS_NO_MATCH

    def test_names_both_chunks(self) -> None:
        error = refusal("a\nb\n", "@@", "-b", "+B", "@@", "-b", "+C")
        assert error.data == {"line": 6, "expected": ["b"], "overlaps": {"line": 3, "lines": [2, 2]}}
        assert "at line 2, inside the chunk of patch line 3" in error.message

    def test_names_the_line_that_an_addition_goes_before(self) -> None:
        error = refusal("a\nb\n", "@@ a", "+x", "@@", " a", "-b")
        assert error.data["overlaps"] == {"line": 3, "lines": [2, 2]}


@pytest.mark.parametrize(
    ("text", "lines", "after", "warned"),
    [
        pytest.param("x\ny\nx\n", ("-x", "+z"), "x\ny\nz\n", False, id="the-last-of-two"),
        pytest.param("x\ny\nx\n\n \n", ("-x", "+z"), "x\ny\nz\n\n \n", False, id="blank-lines-do-not-count"),
        pytest.param("x\ny\nx", ("-x", "+z"), "x\ny\nz\n", False, id="no-final-newline"),
        pytest.param("x\ny\nx  \n", ("-x", "+z"), "x\ny\nz\n", False, id="a-looser-level-at-the-end"),
        pytest.param("x\ny\n", ("-x", "+z"), "z\ny\n", True, id="not-at-the-end"),
        pytest.param("x\ny\n\n", ("-x", "+z"), "z\ny\n\n", True, id="not-at-the-end-above-a-blank-line"),
        pytest.param("k1\nk2", ("-k1", "+K1", " k2"), "K1\nk2", False, id="context-at-the-end"),
        pytest.param("x\nx\n", (" x", "-x", "+z", " "), "x\nz\n", False, id="empty-context-dropped"),
    ],
)
def test_end_of_file(text: str, lines: tuple[str, ...], after: str, warned: bool) -> None:
    outcome = applied(text, "@@", *lines, "*** End of File")
    assert outcome.after == after
    assert any("End of File" in warning for warning in outcome.warnings) is warned


def test_the_end_of_a_file_can_be_taken_once() -> None:
    end = "*** End of File"
    error = refusal("x\ny\nx\n", "@@", "-x", "+1", end, "@@", "-x", "+2", end)
    assert error.code is Code.FS_AMBIGUOUS_MATCH


def test_end_of_file_where_two_other_places_fit_is_ambiguous() -> None:
    assert refusal("x\nx\ny\n", "@@", "-x", "*** End of File").code is Code.FS_AMBIGUOUS_MATCH


@pytest.mark.parametrize(
    ("text", "lines", "after"),
    [
        pytest.param("a\nb", ("@@", "-a", "+A"), "A\nb", id="untouched"),
        pytest.param("a\nb", ("@@", "-a", "+A", " b"), "A\nb", id="as-context"),
        pytest.param("a\nb", ("@@", "-b", "+B"), "a\nB\n", id="rewritten"),
        pytest.param("a\nb", ("@@", "-b", "+b"), "a\nb\n", id="rewritten-as-it-was"),
        pytest.param("a", ("@@", "-a", "+b", "+c"), "b\nc\n", id="the-only-line"),
        pytest.param("a\nb", ("@@", " b", "+c"), "a\nb\nc\n", id="added-below"),
        pytest.param("a\nb", ("@@", "+c"), "a\nb\nc\n", id="added-at-the-end"),
        pytest.param("a\nb", ("@@", "+c", "@@", "+d"), "a\nb\nc\nd\n", id="added-twice"),
        pytest.param("a\nb", ("@@", "-b", "+B", "@@", "+c"), "a\nB\nc\n", id="rewritten-and-added"),
        pytest.param("a\nb", ("@@", "-b", "@@", "+c"), "a\nc\n", id="removed-and-added"),
        pytest.param("a\nb", ("@@", "-b"), "a\n", id="removed"),
        pytest.param("a", ("@@", "-a"), "", id="the-only-line-removed"),
        pytest.param("a", ("@@", " a", "+b"), "a\nb\n", id="added-below-the-only-line"),
        pytest.param("a\r\nb", ("@@", " b", "+c"), "a\r\nb\r\nc\r\n", id="added-below-crlf"),
        pytest.param("a\nb\r\nc", ("@@", "+d"), "a\nb\r\nc\r\nd\r\n", id="added-as-two-lines-above"),
        pytest.param("a\r\nb", ("@@", "-b", "+B"), "a\r\nB\r\n", id="rewritten-crlf"),
        pytest.param(
            "a\nb", ("@@", " a", "-b", "+B", "\\ No newline at end of file"), "a\nB", id="said-to-have-none"
        ),
        pytest.param(
            "a\nb\n", ("@@", "-b", "+b", "\\ No newline at end of file"), "a\nb", id="newline-taken"
        ),
        pytest.param(
            "a\nb", ("@@", "-b", "\\ No newline at end of file", "+b"), "a\nb\n", id="newline-given"
        ),
        pytest.param(
            "a\nb", ("@@", "-a", "+A", " b", "\\ No newline at end of file"), "A\nb", id="said-of-context"
        ),
        pytest.param(
            "b\nb\n", ("@@", "-b", "+c", "\\ No newline at end of file"), "b\nc", id="said-means-the-end"
        ),
        pytest.param("", ("@@", "+c", "\\ No newline at end of file"), "c", id="said-of-an-empty-file"),
        pytest.param("a\r\n", ("@@", "-a", "+b", "\\ No newline at end of file"), "b", id="said-of-crlf"),
    ],
)
def test_last_lines(text: str, lines: tuple[str, ...], after: str) -> None:
    assert applied(text, *lines).after == after


def test_no_newline_in_the_middle_is_ignored_with_a_warning() -> None:
    outcome = applied("a\nb\n", "@@", "-a", "+A", "\\ No newline at end of file")
    assert outcome.after == "A\nb\n"
    assert any("not at the end" in warning for warning in outcome.warnings)


@pytest.mark.parametrize(
    ("text", "lines", "after"),
    [
        pytest.param("a\r\nb\r\n", ("@@", "-b", "+B", "+c"), "a\r\nB\r\nc\r\n", id="crlf"),
        pytest.param("a\rb\rc\r", ("@@", "-b", "+B", "+x"), "a\rB\rx\rc\r", id="cr"),
        pytest.param(
            "a\r\nb\nc\r\nd\n", ("@@", " a", "-b", "+B", " c"), "a\r\nB\nc\r\nd\n", id="mixed-one-for-one"
        ),
        pytest.param(
            "a\r\nb\nc\r\n", ("@@", "-a", "-b", "+A", "+B", "+C"), "A\r\nB\nC\nc\r\n", id="mixed-in-order"
        ),
        pytest.param("a\r\nb\nc\r\n", ("@@", " b", "+x"), "a\r\nb\nx\nc\r\n", id="mixed-as-the-line-above"),
        pytest.param("a\r\nb\n", ("@@", "+x", " a"), "x\r\na\r\nb\n", id="mixed-as-the-line-below"),
        pytest.param(
            "a\r\n\r\nb\n", ("@@", " a", " ", "-b", "+c"), "a\r\n\r\nc\n", id="blank-line-with-crlf"
        ),
        pytest.param(
            "a\x0cb\nc\u2028d\n", ("@@", " a\x0cb", "-c\u2028d", "+e"), "a\x0cb\ne\n", id="no-line-ends"
        ),
        pytest.param("a\rb\nc\n", ("@@", "-a\rb", "+x"), "x\rc\n", id="cr-inside-an-old-line"),
        pytest.param("a\nb\n", ("@@", "-b", "+x\ry"), "a\nx\ry\n", id="cr-inside-a-new-line"),
        pytest.param("x\na\rb\n", ("@@", " x", "-a\rb", "+c"), "x\nc\r", id="cr-inside-a-second-line"),
        pytest.param("a b\rc\n", ("@@", "-a b\rc", "+x y\rz"), "x y\rz\n", id="cr-inside-every-line"),
    ],
)
def test_line_endings(text: str, lines: tuple[str, ...], after: str) -> None:
    assert applied(text, *lines).after == after


def test_a_carriage_return_in_an_old_line_fits_only_its_like() -> None:
    assert refusal("a\nb\nc\n", "@@", "-a\rb", "+x").code is Code.FS_NO_MATCH


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        (("-\ufeffa", "+\ufeffA", " b"), "A\nb\n"),
        (("-\ufeffa", "+A"), "A\nb\n"),
        ((" \ufeffa", "-b", "+\ufeffB"), "a\n\ufeffB\n"),
        (("-\ufeffa", "-b"), ""),
    ],
)
def test_a_byte_order_mark_at_the_start_of_a_chunk_is_dropped(lines: tuple[str, ...], after: str) -> None:
    assert applied("a\nb\n", "@@", *lines).after == after


def test_added_text_is_literal() -> None:
    forms = ("$& $1 ${x}", "\\1 \\g<0> \\n", "%s {0}", "<<<<<<< SEARCH", "a\\")
    assert applied("x\n", "@@", "-x", *(f"+{form}" for form in forms)).after == "\n".join(forms) + "\n"


def test_only_changed_lines_are_replaced() -> None:
    text = "".join(f"{number}\n" for number in range(100))
    outcome = applied(text, "@@", " 9", "-10", "+ten", " 11", "@@ 49", "+x", "@@", "-98", " 99")
    assert [(one.end - one.start, one.text) for one in outcome.replacements] == [
        (3, "ten\n"),
        (0, "x\n"),
        (3, ""),
    ]
    assert [match.lines for match in outcome.matches] == [(10, 12), (50, 50), (99, 100)]
    assert outcome.warnings == ()
    assert applied("a\nb\n", "@@", "+x", "@@", "-a", "+A").warnings == ()
    assert applied("b\nx\na\ny\n", "@@ a", "-y", "+Y", "@@ b", "-x", "+X").warnings == ()


def test_a_line_rewritten_as_it_was_is_no_replacement() -> None:
    assert applied("a\nb\n", "@@", "-b", "+b").replacements == ()


def test_an_addition_to_an_empty_file_is_told_as_its_first_line() -> None:
    assert applied("", "@@", "+x").matches[0].lines == (1, 1)


def test_what_was_forgiven_while_placing_is_told() -> None:
    assert any("above" in one for one in applied("a\nb\n", "@@", "-b", "+B", "@@", "-a", "+A").warnings)
    assert any("dropped" in one for one in applied("a\nb\n", "@@", "-b", "+B", " ").warnings)
    twice = applied("a\nb\nc\n", "@@", "-c", "+C", "@@", "-b", "+B", "@@", "-a", "+A").warnings
    assert [one.partition(":")[0] for one in twice] == ["Patch line 6", "Patch line 9"]
    assert "; line 1 is the only place" in twice[1]
    ended = applied("x\nx\n", "@@", " x", "-x", "+z", " ", "*** End of File").warnings
    assert ["dropped" in one for one in ended] == [True]
    (told,) = applied("def go():\nx\n", "@@ def", "+y").warnings
    assert "start of line 1" in told
    assert any("start of line 1" in one for one in applied("def go():\nx\n", "@@ def", "-x", "+y").warnings)


def test_quotes_written_as_sent_are_told() -> None:
    outcome = applied("say “a”\nb\n", "@@", ' say "a"', '+say "b"', " b")
    assert any("the patch adds it" in one for one in outcome.warnings)
