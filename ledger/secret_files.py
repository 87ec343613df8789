"""Which files hold secrets, by their names: of those no text is written to the store.

Patterns are as in a shell, without regard to case: one without a slash is for the file's name, one with a slash for
the end of its path. Of several that fit the last one decides; ``!`` in front makes an exception.

Never: a look into a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

DEFAULTS = (
    ".env*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".aws/credentials",
)


class SecretFiles:
    """The patterns of one workspace."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = tuple(patterns)
        self._expressions: tuple[re.Pattern[str], ...] | None = None
        self.pattern_of = lru_cache(maxsize=4096)(self._pattern_of)
        """The pattern that a path fits; None where its text may be stored."""

    def _pattern_of(self, path: str) -> str | None:
        if self._expressions is None:
            bare = (pattern.removeprefix("!") for pattern in self._patterns)
            whole = ("*/" + one if "/" in one else one for one in bare)
            self._expressions = tuple(re.compile(translate(one), re.IGNORECASE) for one in whole)
        found, name = None, path.rpartition("/")[2]
        for pattern, expression in zip(self._patterns, self._expressions, strict=True):
            if expression.match(path if "/" in pattern else name):
                found = None if pattern.startswith("!") else pattern
        return found


NONE = SecretFiles()
