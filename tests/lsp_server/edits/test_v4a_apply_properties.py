"""What holds for every text and every patch of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements, split_lines
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from lsp_server.edits.v4a_apply import apply_chunks
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_plan import PatchFile, operations, plan_patch, targets_of
from lsp_server.edits.v4a_types import Anchor, Chunk, ChunkLine, LineKind, UpdateSection

ENDINGS = ("\n", "\r\n", "\r")
words = st.text(alphabet="ab {}-+@*“é\t", max_size=4)


@dataclass(frozen=True)
class Step:
    """One line of a change, as a simple model of patches sees it."""

    kind: LineKind
    text: str
    ending: str = "\n"


@st.composite
def changes(draw: st.DrawFn, endings: tuple[str, ...] = ("\n",), unique: bool = False) -> list[Step]:
    """Lines kept, removed and added; at least one of the latter."""
    kinds: list[LineKind] = ["context", "context", "remove", "add"]
    steps = [
        Step(draw(st.sampled_from(kinds)), draw(words), draw(st.sampled_from(endings)))
        for _ in range(draw(st.integers(1, 12)))
    ]
    if unique:
        steps = [Step(step.kind, f"{number}{step.text}", step.ending) for number, step in enumerate(steps)]
    steps.append(Step("add", "last" if unique else draw(words)))
    return steps


def before_of(steps: list[Step], *, ended: bool = True) -> str:
    text = "".join(step.text + step.ending for step in steps if step.kind != "add")
    return text if ended else text[: len(text) - len(ending_of(text))]


def ending_of(text: str) -> str:
    return next((ending for ending in ("\r\n", "\n", "\r") if text.endswith(ending)), "")


def after_of(steps: list[Step]) -> str:
    return "".join(f"{step.text}\n" for step in steps if step.kind != "remove")


def patch_of(*chunks: list[str]) -> UpdateSection:
    lines = [line for chunk in chunks for line in ("@@", *chunk)]
    patch = parse_patch("\n".join(("*** Begin Patch", "*** Update File: f", *lines, "*** End Patch")))
    (section,) = patch.sections
    assert isinstance(section, UpdateSection)
    assert patch.warnings == ()
    return section


def written(steps: list[Step]) -> list[str]:
    prefix = {"context": " ", "remove": "-", "add": "+"}
    return [prefix[step.kind] + step.text for step in steps]


@given(changes())
def test_a_patch_made_from_before_and_after_leads_to_after(steps: list[Step]) -> None:
    """One chunk that holds the whole file can only fit at one place."""
    assert apply_chunks(before_of(steps), patch_of(written(steps)), tolerant=True).after == after_of(steps)


@given(changes(unique=True), st.data())
def test_small_chunks_in_any_order_lead_to_after(steps: list[Step], data: st.DataObject) -> None:
    chunks: list[list[str]] = []
    previous: Step | None = None
    for changed, group in groupby(steps, key=lambda step: step.kind != "context"):
        run = list(group)
        if changed:
            lead = [] if previous is None else [previous]
            if lead or any(step.kind == "remove" for step in run):
                chunks.append(written([*lead, *run]))
            else:
                chunks.append(written(run + [step for step in steps if step.kind == "context"][:1]))
        previous = run[-1]
    if chunks[0][-1].startswith(" ") and len(chunks) > 1 and chunks[1][0] == chunks[0][-1]:
        chunks[:2] = [chunks[0] + chunks[1][1:]]  # they would share their one line of context
    order = data.draw(st.permutations(chunks))
    assert apply_chunks(before_of(steps), patch_of(*order), tolerant=True).after == after_of(steps)


@given(changes(endings=ENDINGS), st.booleans())
def test_untouched_lines_keep_their_bytes(steps: list[Step], ended: bool) -> None:
    before = before_of(steps, ended=ended)
    # What the model calls CR and LF may stand together in the text, as one line end.
    kept_of = split_lines(before)
    if len(kept_of) != sum(step.kind != "add" for step in steps):
        return
    after = split_lines(apply_chunks(before, patch_of(written(steps)), tolerant=True).after)
    if len(after) != sum(step.kind != "remove" for step in steps):
        return
    old, new = iter(kept_of), iter(after)
    for number, step in enumerate(steps):
        was = next(old) if step.kind != "add" else None
        now = next(new) if step.kind != "remove" else None
        if step.kind == "context":
            assert was is not None
            assert now is not None
            last_of_before = number + 1 == len(steps) or all(
                rest.kind == "add" for rest in steps[number + 1 :]
            )
            assert now == was or (last_of_before and not ended and now.startswith(was))
        elif now is not None:
            assert now.rstrip("\r\n") == step.text


small_lines = st.sampled_from(["", " ", "a", "b", "  a", "\ta", "a ", "“a”", '"a"', "—", "--", "a\rb"])
chunk_lines = st.builds(
    ChunkLine, st.sampled_from(["context", "remove", "add"]), small_lines, st.just(False), st.just(False)
)
chunks = st.builds(
    Chunk,
    st.lists(chunk_lines, min_size=1, max_size=4).map(tuple),
    st.integers(3, 9),
    st.lists(st.builds(Anchor, small_lines.filter(str.strip), st.integers(3, 9)), max_size=2).map(tuple),
    st.booleans(),
    st.booleans(),
)
texts = st.lists(st.tuples(small_lines, st.sampled_from(ENDINGS)), max_size=8).map(
    lambda lines: "".join(line + ending for line, ending in lines)
)


@given(texts | texts.map(str.rstrip), st.lists(chunks, min_size=1, max_size=3), st.booleans())
def test_any_chunks_apply_or_are_refused(text: str, some: list[Chunk], tolerant: bool) -> None:
    section = UpdateSection("f", 2, tuple(some))
    try:
        outcome = apply_chunks(text, section, tolerant=tolerant)
    except CoeditorError as error:
        refused = error
    else:
        assert apply_replacements(text, outcome.replacements) == outcome.after
        assert len(outcome.matches) == len(some)
        total = max(len(split_lines(text)), 1)
        assert all(1 <= first <= last <= total for first, last in (one.lines for one in outcome.matches))
        return
    assert refused.code in (Code.FS_NO_MATCH, Code.FS_AMBIGUOUS_MATCH)
    assert refused.file_path == "f"
    assert refused.data["line"] in range(3, 10)


NAMES = ("a", "b", "c")
sections = st.sampled_from(
    [f"*** Add File: {name}\n+{name}\n" for name in NAMES]
    + [f"*** Delete File: {name}\n" for name in NAMES]
    + [f"*** Move File: {one} -> {other}\n" for one in NAMES for other in NAMES]
    + [f"*** Update File: {name}\n@@\n+more\n" for name in NAMES]
)


def replayed(files: dict[str, str], patch_text: str) -> dict[str, str] | None:
    """The files after the sections, done one by one on a dictionary; None when one cannot be done."""
    files = dict(files)
    for line in patch_text.split("\n"):
        if line.startswith("*** Add"):
            name = line[-1]
            if name in files:
                return None
            files[name] = f"{name}\n"
        elif line.startswith(("*** Delete", "*** Move", "*** Update")):
            name = line.split(": ")[1][0]
            if name not in files:
                return None
            if line.startswith("*** Update"):
                files[name] += "more\n"
                continue
            text = files.pop(name)
            if line.startswith("*** Move"):
                if line[-1] in files or line[-1] == name:
                    return None
                files[line[-1]] = text
    return files


def carried_out(files: dict[str, str], patch_text: str) -> dict[str, str] | None:
    """The files after the rows of the plan, all at once."""
    patch = parse_patch(f"*** Begin Patch\n{patch_text}*** End Patch")
    try:
        plan = plan_patch(
            patch,
            TargetKey,
            {TargetKey(name): PatchFile(text) for name, text in files.items()},
            tolerant=True,
        )
    except CoeditorError as error:
        return files if error.code is Code.FS_NO_CHANGE else None
    after = dict(files)
    for row in plan.files:
        if row.operation in ("delete", "update"):
            assert after.pop(row.target) == row.before
        elif row.operation == "move":
            assert row.from_target is not None
            assert files[row.from_target] == row.before
            after.pop(row.from_target)
            assert (row.target in after) == (row.replaced is not None)
            after.pop(row.target, None)
    for row in plan.files:
        if row.operation != "delete":
            assert row.after is not None
            assert row.target not in after
            after[row.target] = row.after
    return after


@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["1\n", "2\n"])),
    st.lists(sections, min_size=1, max_size=6),
)
def test_the_rows_of_a_plan_do_what_its_sections_say(files: dict[str, str], some: list[str]) -> None:
    patch_text = "".join(some)
    assert carried_out(files, patch_text) == replayed(files, patch_text)


@given(st.lists(sections, min_size=1, max_size=6))
def test_every_target_is_asked_about_before_it_is_touched(some: list[str]) -> None:
    patch = parse_patch("*** Begin Patch\n" + "".join(some) + "*** End Patch")
    asked = {one.target for one in operations(patch, TargetKey)}
    assert asked == set(targets_of(patch, TargetKey))
