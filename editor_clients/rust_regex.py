"""Rust's regular expressions for Python's ``re``: the same meaning, or a refusal that names the construct.

::

    anything Rust refuses (look-around, back references, ...)      refused, as ripgrep does
    what cannot be said exactly here (scripts, bytes, ...)         refused by name
    everything else                                                the same lines are found

Flags are in force as ripgrep sets them: ``^`` and ``$`` hold at every line, classes are Unicode's.

Never: a pattern that is taken as Python's own syntax.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from editor_clients import rust_classes
from editor_clients.rust_classes import ANY, ASCII, POSIX, CharSet
from ledger.errors import Code, CoeditorError

_PLAIN_ESCAPES = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_REPEATS = {"*": "*", "+": "+", "?": "?"}
_SETS = frozenset("dDsSwWpP")
_NOT_NEWLINE = CharSet.chars("\n").negated()
_MOST_REPEATS = 1_000


def translated(pattern: str, *, multiline: bool, ascii_only: bool) -> str:
    """``pattern`` for ``re.compile``; ``ascii_only``: it is held against ASCII text alone, which is faster.

    Without ``multiline`` it is held against single lines without their ends.
    Errors: INVALID_ARGUMENT; with ``data.construct`` where only this engine cannot do it.
    """
    return _Parser(pattern, multiline=multiline, ascii_only=ascii_only).run()


def refuse_text_anchors(pattern: str) -> None:
    """``\\A``, ``\\z`` and ``^`` or ``$`` without their flag m name the ends of the whole text, which ripgrep,
    going through it piece by piece, takes for those of a piece. Errors: INVALID_ARGUMENT if there is one.
    """
    bare = re.sub(r"\\[^Az]", "", pattern, flags=re.DOTALL)
    if r"\A" in bare or r"\z" in bare or re.search(r"\(\?[a-zA-Z]*-[a-zA-Z]*m", bare):
        raise _invalid(
            pattern, "the ends of the whole text cannot be searched for; ^ and $ are those of a line", "\\A"
        )


def looks_back(pattern: str) -> bool:
    """Whether it may ask what stands before a place (``^``, word boundaries); sometimes true for others."""
    return re.search(r"\^|\\[bB<>]", pattern) is not None


@dataclass(frozen=True, slots=True)
class _Flags:
    i: bool = False
    m: bool = True
    s: bool = False
    U: bool = False
    x: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    source: str
    nullable: bool
    """It can match nothing."""


class _Parser:
    def __init__(self, pattern: str, *, multiline: bool, ascii_only: bool) -> None:
        self._pattern = pattern
        self._multiline = multiline
        self._ascii = ascii_only
        self._at = 0
        self._names: set[str] = set()

    def run(self) -> str:
        found = self._alternation(_Flags(), inside=False)
        return found.source

    # Groups.

    def _alternation(self, flags: _Flags, *, inside: bool) -> _Piece:
        branches: list[str] = []
        branch: list[str] = []
        nullable, any_nullable = True, False
        while True:
            self._skip_blanks(flags)
            char = self._peek()
            if char == "" or char == ")":
                break
            if char == "|":
                self._at += 1
                branches.append("".join(branch))
                any_nullable = any_nullable or nullable
                branch, nullable = [], True
                continue
            if self._pattern.startswith("(?", self._at) and (changed := self._flag_group(flags)) is not None:
                flags = changed
                continue
            piece = self._repeated(self._atom(flags), flags)
            branch.append(piece.source)
            nullable = nullable and piece.nullable
        if (char == "") is inside:
            raise self._broken("an unclosed group" if inside else "an unopened group")
        branches.append("".join(branch))
        return _Piece("|".join(branches), any_nullable or nullable)

    def _flag_group(self, flags: _Flags) -> _Flags | None:
        """``(?i)`` changes the flags for the rest of the group; anything else is left alone."""
        found = re.compile(r"\(\?([a-zA-Z-]+)\)").match(self._pattern, self._at)
        if found is None:
            return None
        self._at = found.end()
        return self._changed(flags, found[1])

    def _changed(self, flags: _Flags, letters: str) -> _Flags:
        value = True
        for letter in letters:
            if letter == "-":
                value = False
            elif letter in ("u", "R"):
                if letter == "u" and value:
                    continue
                raise self._unsupported(f"the flag {'' if value else '-'}{letter}")
            elif letter in "imsUx":
                flags = replace(flags, **{letter: value})
            else:
                raise self._broken(f"the flag {letter}")
        if not flags.m:
            refuse_text_anchors(self._pattern)
        return flags

    def _group(self, flags: _Flags) -> _Piece:
        opened = re.compile(r"\((?:\?(?:P?<([A-Za-z_][\w.\[\]]*)>|([a-zA-Z-]*):))?").match(
            self._pattern, self._at
        )
        assert opened is not None
        self._at = opened.end()
        if self._pattern.startswith("?", self._at):
            raise self._broken("look-around or another (? group")
        if opened[1] in self._names:
            raise self._broken(f"the group name {opened[1]} twice")
        self._names |= {opened[1]} if opened[1] else set()
        inner = self._alternation(self._changed(flags, opened[2] or ""), inside=True)
        self._at += 1
        return _Piece(f"(?:{inner.source})", inner.nullable)

    # Atoms.

    def _atom(self, flags: _Flags) -> _Piece:
        char = self._peek()
        if char == "(":
            return self._group(flags)
        if char == "[":
            return self._one_of(self._bracket(flags))
        if char in ("*", "+", "?", "{"):
            raise self._broken(f"{char} with nothing to repeat")
        self._at += 1
        match char:
            case ".":
                return self._one_of(ANY if flags.s else _NOT_NEWLINE)
            case "^":
                return _Piece("(?m:^)", True)
            case "$":
                return _Piece("(?m:$)", True)
            case "\\":
                return self._escape(flags)
            case _:
                return self._literal(char, flags)

    def _escape(self, flags: _Flags) -> _Piece:
        char = self._peek()
        if char in _SETS and char:
            return self._one_of(self._class_escape(flags))
        if char in ("A", "z"):
            refuse_text_anchors(self._pattern)
        if char in ("b", "B", "<", ">") and char:
            self._at += 1
            return _Piece(self._boundary(char), True)
        return self._literal(self._escaped_char(), flags)

    def _boundary(self, char: str) -> str:
        word = rust_classes.word(ascii_only=self._ascii).source()
        start, end = f"(?<!{word})(?={word})", f"(?<={word})(?!{word})"
        found = re.compile(r"\{(start|end|start-half|end-half)\}").match(self._pattern, self._at)
        if char == "b" and found is not None:
            self._at = found.end()
            halves = {"start-half": f"(?<!{word})", "end-half": f"(?!{word})", "start": start, "end": end}
            return halves[found[1]]
        if char == "B":
            return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
        return start if char == "<" else end if char == ">" else f"(?:{start}|{end})"

    def _literal(self, char: str, flags: _Flags) -> _Piece:
        chosen = CharSet.chars(char)
        return self._one_of(chosen.folded() if flags.i else chosen)

    def _one_of(self, chosen: CharSet) -> _Piece:
        if not self._multiline and chosen.spans == ((10, 10),):
            raise _invalid(self._pattern, "a line end needs multiline: true", "\\n")
        if len(chosen.spans) == 1 and chosen.spans[0][0] == chosen.spans[0][1]:
            return _Piece(re.escape(chr(chosen.spans[0][0])), False)
        return _Piece((chosen.intersect(ASCII) if self._ascii else chosen).source(), False)

    def _escaped_char(self) -> str:
        """The character that the escape at hand stands for; the backslash is behind."""
        char = self._peek()
        self._at += 1
        if char in ("x", "u", "U") and char:
            return self._hex({"x": 2, "u": 4, "U": 8}[char])
        if char in _PLAIN_ESCAPES:
            return _PLAIN_ESCAPES[char]
        if char and char.isascii() and not char.isalnum() and char not in "<>":
            return char
        if char.isdigit():
            raise self._broken("a back reference, which Rust does not have")
        raise self._broken(f"the escape \\{char}")

    def _hex(self, digits: int) -> str:
        found = re.compile(rf"\{{([0-9A-Fa-f]+)\}}|([0-9A-Fa-f]{{{digits}}})").match(self._pattern, self._at)
        point = int(found[1] or found[2], 16) if found is not None else -1
        if found is None or point > 0x10FFFF or 0xD800 <= point < 0xE000:
            raise self._broken("a hexadecimal escape")
        self._at = found.end()
        return chr(point)

    # Classes.

    def _class_escape(self, flags: _Flags) -> CharSet:
        """``\\d``, ``\\w``, ``\\s``, ``\\p{...}`` and their opposites; the backslash is behind."""
        char = self._peek()
        self._at += 1
        match char.lower():
            case "d":
                found = rust_classes.digit(ascii_only=self._ascii)
            case "w":
                found = rust_classes.word(ascii_only=self._ascii)
            case "s":
                found = rust_classes.SPACE
            case _:
                found = self._category()
        if flags.i:
            found = found.folded()
        return found.negated() if char.isupper() else found

    def _category(self) -> CharSet:
        named = re.compile(r"\{([^}]*)\}|([A-Za-z])").match(self._pattern, self._at)
        if named is None:
            raise self._broken("\\p without a name")
        self._at = named.end()
        found = rust_classes.category(named[1] or named[2] or "", ascii_only=self._ascii)
        if found is None:
            raise self._unsupported(f"\\p{named[0]}")
        return found

    def _bracket(self, flags: _Flags) -> CharSet:
        self._at += 1
        negated = self._peek() == "^"
        self._at += negated
        items, left = CharSet(), CharSet()
        operator = ""
        self._skip_blanks(flags)
        first = self._at
        while self._peek() == "-" or (self._peek() == "]" and self._at == first):
            items = items.union(CharSet.chars(self._peek()))
            self._at += 1
        while True:
            self._skip_blanks(flags)
            char = self._peek()
            two = self._pattern[self._at : self._at + 2]
            if char == "":
                raise self._broken("an unclosed class")
            if char == "]":
                self._at += 1
                found = self._combined(left, operator, items, flags)
                return found.negated() if negated else found
            if two in ("&&", "--", "~~"):
                self._at += 2
                left, items = self._combined(left, operator, items, flags), CharSet()
                operator = two
            else:
                items = items.union(self._class_item(flags))

    def _combined(self, left: CharSet, operator: str, items: CharSet, flags: _Flags) -> CharSet:
        items = items.folded() if flags.i else items
        match operator:
            case "&&":
                return left.intersect(items)
            case "--":
                return left.minus(items)
            case "~~":
                return left.minus(items).union(items.minus(left))
            case _:
                return items

    def _class_item(self, flags: _Flags) -> CharSet:
        named = re.compile(r"\[:(\^?)([a-z]+):\]").match(self._pattern, self._at)
        if named is not None and named[2] in POSIX:
            self._at = named.end()
            found = POSIX[named[2]]
            found = found.folded() if flags.i else found
            return found.negated() if named[1] else found
        if self._peek() == "[":
            return self._bracket(flags)
        if self._peek() == "\\" and self._pattern[self._at + 1 : self._at + 2] in _SETS:
            self._at += 1
            return self._class_escape(flags)
        low = self._class_char()
        self._skip_blanks(flags)
        if self._peek() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", "-", ""):
            return CharSet.chars(low)
        self._at += 1
        self._skip_blanks(flags)
        high = self._class_char()
        if high < low:
            raise self._broken(f"the range {low}-{high}")
        return CharSet(((ord(low), ord(high)),))

    def _class_char(self) -> str:
        char = self._peek()
        self._at += 1
        if char == "\\":
            return self._escaped_char()
        if char == "[" or char == "":
            raise self._broken("a class inside a range")
        return char

    # Repetition.

    def _repeated(self, piece: _Piece, flags: _Flags) -> _Piece:
        while True:
            self._skip_blanks(flags)
            found = re.compile(r"([*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)").match(self._pattern, self._at)
            if found is None:
                if self._peek() == "{":
                    raise self._broken("a repetition {...} without numbers")
                return piece
            self._at = found.end()
            low = int(found[2]) if found[2] else int(found[1] == "+")
            high = found[4] or found[2] if found[2] and not (found[3] and not found[4]) else None
            if high is not None and int(high) < low:
                raise self._broken(f"the repetition {found[1]}")
            if low > _MOST_REPEATS or int(high or 0) > _MOST_REPEATS:
                raise self._unsupported(f"the repetition {found[1]}")
            if piece.nullable and found[1] != "?" and high not in ("0", "1"):
                raise self._unsupported("the repetition of a group that can be empty")
            lazy = bool(found[5]) is not flags.U
            quantifier = found[1] if found[1] in _REPEATS else f"{{{low},{'' if high is None else high}}}"
            piece = _Piece(f"(?:{piece.source}){quantifier}{'?' if lazy else ''}", low == 0 or piece.nullable)

    def _skip_blanks(self, flags: _Flags) -> None:
        if not flags.x:
            return
        found = re.compile(r"(?:\s+|#[^\n]*)*").match(self._pattern, self._at)
        self._at = found.end() if found is not None else self._at

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _broken(self, what: str) -> CoeditorError:
        return _invalid(self._pattern, f"it has {what} (at character {self._at + 1})", None)

    def _unsupported(self, construct: str) -> CoeditorError:
        return _invalid(
            self._pattern,
            f"{construct} cannot be searched without ripgrep; install coeditor[search], or write it otherwise",
            construct,
        )


def _invalid(pattern: str, why: str, construct: str | None) -> CoeditorError:
    shown = pattern if len(pattern) <= 80 else pattern[:77] + "..."
    data = {"argument": "pattern"} | ({"construct": construct} if construct else {})
    return CoeditorError(
        Code.INVALID_ARGUMENT, f"The pattern {shown!r} is not a regular expression here: {why}.", data=data
    )
