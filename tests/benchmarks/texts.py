"""Files whose every line is another one, and that know what an edit must make of them.

Never: an edit of a line that was edited already.
"""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.contestants import Edit


def line(number: int) -> str:
    """A line of 50 characters, unlike all others."""
    return f'v_{number:07d} = "{number * 2654435761 % 4294967296:08x} words on line {number:07d}"'


def lines_of(count: int) -> str:
    """That many lines."""
    return "".join(f"{line(number)}\n" for number in range(count))


class Target:
    """One file that is edited again and again, each time at another line."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.count = size // (len(line(0)) + 1)
        self.text = lines_of(self.count).encode()
        self.path.write_bytes(self.text)
        self._edits = 0

    def next(self) -> Edit:
        """The next edit; the file is not touched."""
        while True:
            self._edits += 1
            number = (self.count // 2 + self._edits * 7919) % self.count
            old = line(number)
            if old.encode() in self.text:
                return Edit(self.path, number + 1, old, f'{old[:-1]} E{self._edits}"')

    def took(self, edit: Edit) -> bool:
        """Whether the file has exactly this edit; from now on it is taken as it is."""
        wanted = self.text.replace(edit.old.encode() + b"\n", edit.new.encode() + b"\n", 1)
        self.text = self.path.read_bytes()
        return self.text == wanted
