"""The README's tables of speed, put in between two marks.

Never: a figure typed by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def put(name: str, lines: Iterable[str], *, page: Path = README) -> None:
    """Replace what stands between the marks of ``name``. Errors: ValueError when they are not there."""
    text = page.read_text(encoding="utf-8")
    start, end = f"<!-- {name}: written by tests.benchmarks -->", f"<!-- end of {name} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f"{page} has no place for {name}")
    head, rest = text.split(start)
    tail = rest.split(end)[1]
    body = "\n".join(lines).strip("\n")
    page.write_text(f"{head}{start}\n\n{body}\n\n{end}{tail}", encoding="utf-8")
