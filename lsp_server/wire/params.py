"""The words a tool is defined in: parameters and the tool itself.

Never: imports that cost time; the relay that agents start reads this before it answers anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Literal

    Kind = Literal["string", "path", "integer", "boolean", "strings", "object"]

MISSING: Final = object()
"""Default of a parameter that may be left out and then is not there."""

LARGEST: Final = 2**53
"""Integers beyond this are not exact in every client's JSON."""


class Param:
    """One parameter of one tool."""

    __slots__ = ("about", "choices", "default", "kind", "minimum", "name", "required")

    def __init__(
        self,
        name: str,
        kind: Kind,
        about: str,
        *,
        required: bool = False,
        default: Any = MISSING,
        minimum: int | None = None,
        choices: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.kind = kind
        self.about = about
        self.required = required
        self.default = default
        self.minimum = minimum
        self.choices = choices

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        found: dict[str, Any] = {"type": "string" if self.kind == "path" else self.kind}
        if self.kind == "strings":
            found = {"type": "array", "items": {"type": "string"}}
        if self.kind == "path":
            found["minLength"] = 1
        if self.choices:
            found["enum"] = list(self.choices)
        if self.minimum is not None:
            found["minimum"] = self.minimum
        if self.default is not MISSING:
            found["default"] = self.default
        found["description"] = self.about
        return found


class Tool:
    """One tool of the contract; everything that any door shows of it is made from this."""

    __slots__ = (
        "always_load",
        "description",
        "idempotent",
        "name",
        "params",
        "read_only",
        "result",
        "title",
    )

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        params: tuple[Param, ...],
        result: dict[str, Any],
        *,
        read_only: bool,
        idempotent: bool = False,
        always_load: bool = False,
    ) -> None:
        self.name = name
        self.title = title
        self.description = description
        self.params = params
        self.result = result
        """JSON Schema of a success."""
        self.read_only = read_only
        self.idempotent = idempotent
        self.always_load = always_load
        """Agents that hide tools behind a search are asked to show this one at once."""

    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        found: dict[str, Any] = {
            "type": "object",
            "properties": {param.name: param.schema() for param in self.params},
        }
        required = [param.name for param in self.params if param.required]
        if required:
            found["required"] = required
        return found

    def annotations(self) -> dict[str, Any]:
        """All four hints: agents without a person there decide by them whether a call may run."""
        return {
            "title": self.title,
            "readOnlyHint": self.read_only,
            "destructiveHint": False,
            "idempotentHint": self.read_only or self.idempotent,
            "openWorldHint": False,
        }
