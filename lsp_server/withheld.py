"""What the journal does not get to keep of files that hold secrets: snapshots, requests, and diffs in answers.

Never: a change of what the caller is answered, but for the sentence that says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from ledger.ledger import Ledger
from lsp_server.outcomes import Plan, Planned

_TEXTS = {"diff", "amended", "formatted", "diagnostics"}
"""Parts of an outcome that show a file's text."""


def is_withheld(ledger: Ledger, one: Planned) -> bool:
    """Whether either name of the file says that it holds secrets."""
    names = (one.change.target, one.change.from_target)
    return any(ledger.is_secret(name) for name in names if name is not None)


def withheld(ledger: Ledger, plan: Plan) -> list[str]:
    """The paths of a plan's files that hold secrets."""
    return [one.path for one in plan.files if is_withheld(ledger, one)]


def sentence(paths: list[str]) -> str:
    """Why an edit of ``paths`` cannot be taken back."""
    return (
        f"Texts of {', '.join(paths)} are not kept in the history (setting secret_files), so rewind cannot bring "
        "them back."
    )


def request_for_journal(ledger: Ledger, plan: Plan, request: str) -> str | None:
    """The request as it may be kept; None where it could hold a secret."""
    return None if withheld(ledger, plan) else request


def outcome_for_journal(ledger: Ledger, plan: Plan, result: Mapping[str, Any]) -> str:
    """The answer as it may be kept for a caller that lost its connection."""
    if withheld(ledger, plan):
        result = {name: value for name, value in result.items() if name not in _TEXTS} | {"diff": ""}
    return json_of(result)


def json_of(value: object) -> str:
    """For the journal."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # half of a surrogate pair, or a number beyond 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
