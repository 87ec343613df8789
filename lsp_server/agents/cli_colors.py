"""The command line's texts in colour, on a terminal.

Never: a character more or less than without colour.
"""

from __future__ import annotations

import re
from typing import Final

from rich.console import Console
from rich.text import Text

_STYLES: Final = (
    (re.compile(r"(diff --git|index |--- |\+\+\+ |rename |new file|deleted file|similarity )"), "bold"),
    (re.compile(r"@@ "), "cyan"),
    (re.compile(r"\+"), "green"),
    (re.compile(r"-"), "red"),
    (re.compile(r"\[coeditor: "), "yellow"),
    (re.compile(r"(new: )?\S+:\d+:\d+ error"), "red"),
    (re.compile(r"(new: )?\S+:\d+:\d+ warning"), "yellow"),
    (re.compile(r"resolved: "), "green"),
    (re.compile(r"Applied|Planned"), "bold green"),
)
_NUMBER: Final = re.compile(r"\d+\t")


def colored(text: str) -> Text:
    """The text with a style for each line."""
    found = Text()
    for number, line in enumerate(text.split("\n")):
        if number:
            found.append("\n")
        numbered = _NUMBER.match(line)
        if numbered is not None:
            found.append(numbered.group(), "dim")
            found.append(line[numbered.end() :])
        else:
            found.append(line, next((style for pattern, style in _STYLES if pattern.match(line)), ""))
    return found


def print_colored(text: str) -> None:
    """Write the text to standard output; long lines are left to the terminal."""
    Console().print(colored(text), soft_wrap=True)
