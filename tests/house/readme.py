"""Looking into README.md: its sections, tables and code blocks.

Never: what they should say; the tests hold them against the code.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")

_HEADING = re.compile(r"^(#+) (.+)$")


def section(title: str) -> str:
    """What stands below the heading ``title``, up to the next heading of its level or a higher one."""
    found: list[str] = []
    level = 0
    fenced = False
    for line in TEXT.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading and level and len(heading[1]) <= level:
            break
        if level:
            found.append(line)
        elif heading and heading[2] == title:
            level = len(heading[1])
    assert level, f"README has no section {title!r}"
    return "\n".join(found)


def headings() -> set[str]:
    """Every heading of the page."""
    fenced = False
    found = set()
    for line in TEXT.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading:
            found.add(heading[2])
    return found


def tables(text: str) -> list[list[list[str]]]:
    """The tables of ``text`` as rows of cells, without their heads."""
    found: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
        elif set(line) <= set("|- "):
            found.append([])
            inside = True
        elif inside:
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def blocks(text: str, language: str) -> list[str]:
    """The fenced code blocks of ``text`` in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def code_words(text: str) -> set[str]:
    """Everything that is set as code within lines of ``text``."""
    return set(re.findall(r"`([^`\n]+)`", text))
