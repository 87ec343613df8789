"""Which names are those of secret files, and that the ledger writes none of their texts down."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.ledger import Ledger
from ledger.ranges import LineRanges
from ledger.secret_files import DEFAULTS, NONE, SecretFiles
from ledger.types import Caller, ScopeKey, TargetKey, token_of

SECRET = [".env", ".env.local", ".envrc", "deep/.ENV", "server.pem", "tls/Server.KEY", "id_rsa", "id_ed25519"]
SECRET += ["id_rsa.pub", ".ssh/id_ecdsa_sk", ".netrc", "web/.npmrc", "home/.aws/credentials", "a b.p12"]
OPEN = [
    ".env.example",
    ".env.sample",
    "env",
    "environment.py",
    "id_map.py",
    "identity.ts",
    "key.py",
    "keys/a.txt",
]
OPEN += ["monkey", "pem.md", "credentials", ".env/readme.md", "a.pem.md"]


@pytest.mark.parametrize("name", SECRET)
def test_secret_by_default(name: str) -> None:
    assert SecretFiles(DEFAULTS).pattern_of(f"/w/{name}") is not None
    assert NONE.pattern_of(f"/w/{name}") is None


@pytest.mark.parametrize("name", OPEN)
def test_not_secret_by_default(name: str) -> None:
    assert SecretFiles(DEFAULTS).pattern_of(f"/w/{name}") is None


@pytest.mark.parametrize(
    ("patterns", "path", "pattern"),
    [
        (["*.txt"], "/w/a.txt", "*.txt"),
        (["*.txt", "!a.*"], "/w/a.txt", None),
        (["!a.*", "*.txt"], "/w/a.txt", "*.txt"),
        (["keys/*"], "/w/keys/a", "keys/*"),
        (["keys/*"], "/w/monkeys/a", None),
        (["keys/*"], "/w/x/keys/a/b", "keys/*"),
        (["[ab].c"], "/w/b.c", "[ab].c"),
        (["[", "*.c"], "/w/b.c", "*.c"),
    ],
)
def test_the_last_pattern_that_fits_decides(patterns: list[str], path: str, pattern: str | None) -> None:
    assert SecretFiles(patterns).pattern_of(path) == pattern


def test_a_secret_text_is_at_hand_and_gone_with_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "s" / "ledger.db")
    ledger = Ledger.open(path, secrets=SecretFiles(DEFAULTS))
    for name, text in ((".env", "secret"), ("a.py", "plain")):
        caller = Caller(ScopeKey("S"))
        ledger.record_read(
            caller, TargetKey(f"/w/{name}"), token_of(text), 1, LineRanges.whole(1), text=text, moved=None
        )
        assert ledger.text_of(token_of(text)) == text
    ledger.close()
    again = Ledger.open(path, secrets=SecretFiles(DEFAULTS))
    assert (again.text_of(token_of("secret")), again.text_of(token_of("plain"))) == (None, "plain")
    again.close()
