"""Every answer in tests is held against the frozen shapes: fields that no schema names are refused.

Never: a shape of its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema

from lsp_server.wire.results import closed, error_schema
from lsp_server.wire.tools import BY_NAME, STEPS


def check_shape(tool: str, answer: dict[str, Any]) -> dict[str, Any]:
    """``answer`` itself, when it fits the schema of ``tool``'s results, or that of errors."""
    _validator(tool if answer["ok"] else None).validate(answer)
    return answer


@cache
def _validator(tool: str | None) -> jsonschema.Draft202012Validator:
    schema = closed(error_schema() if tool is None else (BY_NAME.get(tool) or STEPS[tool]).result)
    return jsonschema.Draft202012Validator(schema)
