"""The state machine that reads a V4A patch line by line.

Lines are judged as they come, so that a refusal is raised as soon as it is certain. One thing can only be
known at the end: the last line that trims to ``*** End Patch`` is the end marker, and an earlier indented one
is a context line. Such a line is read as context, and where the reader stood is kept, to go back to when no
later end marker comes. Until then an error below it is a doubt, not a refusal.

Never: I/O, or more than one line at a time.
"""

from __future__ import annotations

from dataclasses import replace

from ledger.errors import CoeditorError
from lsp_server.edits import v4a_refusals as refusals
from lsp_server.edits.v4a_build import ChunkSays, ChunkStarts, Moves, Part, SectionStarts, sections_of
from lsp_server.edits.v4a_counts import Counts
from lsp_server.edits.v4a_lines import (
    MOVE_TO,
    At,
    Header,
    Marker,
    MoveTo,
    Plain,
    marker_of,
    trimmed,
)
from lsp_server.edits.v4a_place import Place, PossibleEnd, State
from lsp_server.edits.v4a_tolerance import Tolerance, Tolerated
from lsp_server.edits.v4a_types import (
    AddSection,
    Anchor,
    ChunkLine,
    DeleteSection,
    LineKind,
    MoveSection,
    Patch,
    PatchLimits,
    PatchProgress,
    Section,
    UpdateSection,
)

_KINDS: dict[str, LineKind] = {" ": "context", "-": "remove", "+": "add"}


class Reader:
    """The state machine: one complete line at a time."""

    def __init__(self, limits: PatchLimits) -> None:
        self._counts = Counts(limits)
        self._place = Place()
        self._parts: list[Part] = []
        self._tolerated = Tolerated()
        self._line_no = 0
        self._prose = 0  # first line of text before or after the envelope
        self._possible_end: PossibleEnd | None = None

    def progress(self) -> PatchProgress:
        """How far the lines so far have come."""
        counts, place = self._counts, self._place
        return PatchProgress(counts.files, counts.chunks, counts.lines, place.path, place.state is State.DONE)

    def check_size(self, waiting: int) -> None:
        """Refuse a line that is too long before it is complete."""
        self._counts.waiting(waiting, self._line_no + 1)

    def line(self, raw: str, *, terminated: bool) -> None:
        """Take the next line, without its LF."""
        self._line_no += 1
        self._counts.text(raw, self._line_no, terminated=terminated)
        if self._line_no == 1 and raw.startswith("\ufeff"):
            raw = raw[1:]
            self._tolerated.add(Tolerance.BYTE_ORDER_MARK, 1)
        crlf = terminated and raw.endswith("\r")
        if crlf:
            raw = raw[:-1]
        if self._possible_end is None:
            self._judge(raw)
        else:
            self._judge_below(self._possible_end, raw)
        if crlf:
            self._tolerated.add(Tolerance.CRLF, self._line_no)

    def finish(self) -> Patch:
        """The patch, when no more lines come."""
        if self._place.state is not State.DONE:
            self._end_late()
        if self._prose:
            self._tolerated.add(Tolerance.AROUND, self._prose)
        return Patch(sections_of(self._parts), self._tolerated.sentences())

    # What kind of line

    def _judge(self, raw: str) -> None:
        marker = marker_of(raw)
        match self._place.state:
            case State.BEFORE:
                self._before(raw, marker)
            case State.DONE:
                if error := self._second_envelope(raw, marker):
                    raise error
                if trimmed(raw):
                    self._prose = self._prose or self._line_no
            case State.CHUNK:
                self._in_chunk(raw, marker)
            case State.UPDATE:
                self._after_update(raw, marker)
            case State.ADD:
                self._in_add(raw, marker)
            case State.OPEN | State.CLOSED | State.CHUNK_END:
                self._between(raw, marker)

    def _before(self, raw: str, marker: Marker | None) -> None:
        if marker == Plain("begin"):
            self._padding(raw)
            self._place = replace(self._place, state=State.OPEN)
        elif isinstance(marker, Header) or marker == Plain("end"):
            raise refusals.no_begin(self._line_no, at_end=False)
        elif trimmed(raw):
            self._prose = self._prose or self._line_no

    def _between(self, raw: str, marker: Marker | None) -> None:
        """Where a section ended or none has begun: padding of any marker is harmless here."""
        at_chunk_end = self._place.state is State.CHUNK_END
        if not trimmed(raw):
            self._tolerated.add(Tolerance.SPACING, self._line_no)
        elif isinstance(marker, At) and at_chunk_end:
            self._at(raw, marker)
        elif marker == Plain("no newline") and at_chunk_end:
            self._says(ChunkSays(no_newline=True))
        elif marker == Plain("environment") and self._place.state is State.OPEN:
            self._tolerated.add(Tolerance.ENVIRONMENT, self._line_no)
        elif not self._opens_or_ends(raw, marker):
            raise self._out_of_place(raw)

    def _in_add(self, raw: str, marker: Marker | None) -> None:
        place = self._place
        if raw.startswith("+"):
            if place.gap:
                raise refusals.bad_add_line(place.gap, place.path)
            if not place.filled:
                self._parts.append(ChunkStarts(self._line_no))
                self._place = replace(place, filled=True)
            self._content(ChunkLine("add", raw[1:]))
        elif not trimmed(raw):
            self._place = replace(place, gap=place.gap or self._line_no)
        elif marker == Plain("no newline") and place.filled and not place.gap:
            self._says(ChunkSays(no_newline=True))
        elif not self._opens_or_ends(raw, marker):
            raise refusals.bad_add_line(self._line_no, place.path)
        elif place.gap:
            self._tolerated.add(Tolerance.SPACING, place.gap)

    def _after_update(self, raw: str, marker: Marker | None) -> None:
        """Between an Update header and its first chunk: the first ``@@`` may be missing.

        Padded headers and ``@@`` are markers here: a context line proper stands below an ``@@``.
        """
        padded = raw.startswith(" ")
        if not raw:
            self._tolerated.add(Tolerance.SPACING, self._line_no)
        elif isinstance(marker, MoveTo):
            self._move_to(raw, marker)
        elif isinstance(marker, At):
            self._at(raw, marker)
        elif padded and marker == Plain("end"):
            self._keep_possible_end()
            self._begin_implicit_chunk(raw)
        elif not padded and marker == Plain("end of file"):
            raise refusals.empty_chunk(self._line_no, self._place.path)
        elif raw[0] in _KINDS and not isinstance(marker, Header):
            self._begin_implicit_chunk(raw)
        elif not self._opens_or_ends(raw, marker):
            raise self._out_of_place(raw)

    def _in_chunk(self, raw: str, marker: Marker | None) -> None:
        if not raw:
            self._tolerated.add(Tolerance.EMPTY_CONTEXT, self._line_no)
            self._content(ChunkLine("context", "", bare=True))
        elif raw[0] in _KINDS:
            if marker == Plain("end"):
                self._keep_possible_end()
            self._fill(raw)
        elif isinstance(marker, At):
            self._at(raw, marker)
        elif marker == Plain("end of file"):
            self._padding(raw)
            self._check_chunk()
            self._says(ChunkSays(end_of_file=True))
            self._place = replace(self._place, state=State.CHUNK_END)
        elif marker == Plain("no newline") and self._place.filled:
            self._says(ChunkSays(no_newline=True))
        elif not self._opens_or_ends(raw, marker):
            raise self._out_of_place(raw)

    # What a line does

    def _opens_or_ends(self, raw: str, marker: Marker | None) -> bool:
        """Open the next section or close the envelope, if ``marker`` does that."""
        if isinstance(marker, Header):
            self._close_section()
            self._padding(raw)
            self._open_section(marker)
            return True
        if marker == Plain("end"):
            self._close_section()
            self._padding(raw)
            if self._place.state is State.OPEN:
                raise refusals.no_sections(self._line_no)
            self._place = replace(self._place, state=State.DONE)
            self._possible_end = None
            return True
        if marker == Plain("begin"):
            raise refusals.two_envelopes(self._line_no)
        return False

    def _open_section(self, header: Header) -> None:
        path = header.path
        if not path:
            raise refusals.no_path(self._line_no, refusals.header_form(header.name))
        section: Section
        match header.name:
            case "Add":
                section, state = AddSection(path, self._line_no), State.ADD
            case "Delete":
                section, state = DeleteSection(path, self._line_no), State.CLOSED
            case "Update":
                section, state = UpdateSection(path, self._line_no), State.UPDATE
            case "Move":
                section, state = self._moved_file(path), State.CLOSED
        self._counts.file(section.path, self._line_no)
        self._parts.append(SectionStarts(section))
        self._place = Place(state, section.path, self._line_no)

    def _moved_file(self, paths: str) -> MoveSection:
        source, arrow, destination = paths.partition(" -> ")
        if not arrow:
            raise refusals.no_arrow(self._line_no)
        if arrow in destination:
            raise refusals.two_arrows(self._line_no)
        return MoveSection(trimmed(source), trimmed(destination), self._line_no)

    def _move_to(self, raw: str, marker: MoveTo) -> None:
        if self._place.moved:
            raise refusals.second_move_to(self._line_no, self._place.path)
        if not marker.path:
            raise refusals.no_path(self._line_no, MOVE_TO)
        self._padding(raw)
        self._parts.append(Moves(marker.path))
        self._place = replace(self._place, moved=True)

    def _at(self, raw: str, marker: At) -> None:
        """Open a chunk, or narrow one that has no lines yet."""
        self._padding(raw)
        place = self._place
        if marker.numbered:
            self._tolerated.add(Tolerance.NUMBERS, self._line_no)
        if place.state is State.CHUNK and not place.filled:
            self._drop_spacing()
            if not marker.anchor:
                self._tolerated.add(Tolerance.REPEATED_AT, self._line_no)
        else:
            self._begin_chunk()
        if marker.anchor:
            self._parts.append(Anchor(marker.anchor, self._line_no))
        self._place = replace(self._place, at_line=self._line_no, implicit=False)

    def _begin_chunk(self) -> None:
        self._counts.chunk(self._line_no)
        self._parts.append(ChunkStarts(self._line_no))
        self._place = replace(
            self._place,
            state=State.CHUNK,
            chunk_line=self._line_no,
            filled=False,
        )

    def _begin_implicit_chunk(self, raw: str) -> None:
        self._tolerated.add(Tolerance.NO_FIRST_AT, self._line_no)
        self._begin_chunk()
        self._place = replace(self._place, implicit=True)
        self._fill(raw)

    def _fill(self, raw: str) -> None:
        """Take a line with a prefix into the chunk."""
        line = ChunkLine(_KINDS[raw[0]], raw[1:])
        self._content(line)
        # Blanks right below an Update header may be spacing: what follows tells.
        spacing = self._place.implicit and line.kind == "context" and not trimmed(line.text)
        if not self._place.filled and not spacing:
            self._place = replace(self._place, filled=True)

    def _drop_spacing(self) -> None:
        while self._parts and isinstance(self._parts[-1], ChunkLine):
            self._parts.pop()

    def _content(self, line: ChunkLine) -> None:
        self._counts.line(self._line_no)
        self._parts.append(line)

    def _says(self, what: ChunkSays) -> None:
        if what.no_newline:
            self._tolerated.add(Tolerance.NO_NEWLINE, self._line_no)
        self._parts.append(what)

    # Ends

    def _close_section(self) -> None:
        place = self._place
        if place.state is State.CHUNK:
            self._check_chunk()
        elif place.state is State.UPDATE and not place.moved:
            raise refusals.empty_update(place.header_line, place.path)

    def _check_chunk(self) -> None:
        if not self._place.filled:
            raise refusals.empty_chunk(self._place.at_line or self._place.chunk_line, self._place.path)

    def _keep_possible_end(self) -> None:
        self._possible_end = PossibleEnd(self._line_no, self._place, len(self._parts), len(self._tolerated))

    def _judge_below(self, end: PossibleEnd, raw: str) -> None:
        """Take a line below a possible end, and note what it would mean if that were the end."""
        marker = marker_of(raw)
        if marker == Plain("end"):
            if end.doubt is not None:
                raise end.doubt  # the end is here or later, so the error before it stands
            self._judge(raw)
            return
        if trimmed(raw):
            end.prose = end.prose or self._line_no
        end.envelope = end.envelope or self._second_envelope(raw, marker)
        if end.doubt is None:
            try:
                self._judge(raw)
            except CoeditorError as error:
                end.doubt = error

    def _end_late(self) -> None:
        """No end marker came: the last possible one is it."""
        last = self._possible_end
        if last is None:
            raise self._no_envelope()
        if last.envelope is not None:
            raise last.envelope
        del self._parts[last.parts :]
        self._tolerated.cut(last.tolerated)
        self._place = last.place
        self._close_section()
        self._tolerated.add(Tolerance.PADDING, last.line_no)
        self._prose = self._prose or last.prose

    # Complaints

    def _no_envelope(self) -> CoeditorError:
        line_no = max(self._line_no, 1)
        if self._place.state is State.BEFORE:
            return refusals.no_begin(line_no, at_end=True)
        return refusals.no_end(line_no, self._place.path)

    def _second_envelope(self, raw: str, marker: Marker | None) -> CoeditorError | None:
        """Why a line outside the envelope is no prose."""
        if marker in (Plain("begin"), Plain("end")) or (isinstance(marker, Header) and raw.startswith("***")):
            return refusals.two_envelopes(self._line_no)
        return None

    def _out_of_place(self, raw: str) -> CoeditorError:
        state = self._place.state
        return refusals.out_of_place(
            self._line_no,
            raw,
            self._place.path,
            in_update=state in (State.UPDATE, State.CHUNK),
            after_end=state is State.CHUNK_END,
        )

    def _padding(self, raw: str) -> None:
        if raw != trimmed(raw):
            self._tolerated.add(Tolerance.PADDING, self._line_no)
