"""What must be the case at a file that a person, agents and other processes work at: a model without versions,
mirrors, ledgers or protocols.

It knows one text on disk and at most one open text, and what each act does to them. Never: anything of the product.
"""

from __future__ import annotations

from dataclasses import dataclass, field


def formatted(text: str) -> str:
    """What the editor makes of a text that it saves."""
    return text.replace("todo", "TODO")


@dataclass(slots=True)
class File:
    """One file."""

    disk: str
    buffer: str | None = None
    """None while no editor has it open."""
    dirty: bool = False
    saved: str = ""
    """What the editor has read or written last."""
    undo: list[str] = field(default_factory=list)
    follows: bool = True
    """An agent's call has the editor look at the disk first, and save what it had saved; one that knows LSP only does
    neither."""

    @property
    def text(self) -> str:
        """What counts."""
        return self.disk if self.buffer is None or not self.dirty else self.buffer

    # The person.

    def open(self) -> None:
        if self.buffer is None:
            self.buffer, self.saved, self.dirty, self.undo = self.disk, self.disk, False, []

    def close(self) -> None:
        self.buffer, self.dirty = None, False

    def type(self, at: int, text: str, delete: int = 0) -> None:
        assert self.buffer is not None
        self.undo.append(self.buffer)
        self.buffer = self.buffer[:at] + text + self.buffer[at + delete :]
        self.dirty = True

    def take_back(self) -> None:
        assert self.buffer is not None
        if self.undo:
            self.buffer = self.undo.pop()
            self.dirty = self.buffer != self.saved

    def save(self) -> None:
        assert self.buffer is not None
        if formatted(self.buffer) != self.buffer:
            self.undo.append(self.buffer)
        self.buffer = self.disk = self.saved = formatted(self.buffer)
        self.dirty = False

    def reload(self) -> None:
        """The editor looks at the disk; unsaved text stays."""
        if self.buffer is not None and not self.dirty:
            self.buffer = self.saved = self.disk

    # Others.

    def write(self, text: str) -> None:
        """Another process."""
        self.disk = text

    def replace(self, old: str, new: str) -> None:
        """An agent's edit that was acknowledged."""
        if self.follows:
            self.reload()
        text = self.text
        assert text.count(old) == 1, (old, text)
        after = text.replace(old, new)
        if self.buffer is None or not (self.dirty or self.buffer == self.disk):
            self.disk = after  # saved text that is behind the disk does not count
            return
        is_saved = self.follows and not self.dirty
        self.undo.append(self.buffer)
        self.buffer, self.dirty = after, True
        if is_saved:
            self.save()
