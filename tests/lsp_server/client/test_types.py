"""The Python client's parameters and results are those of the wire, no more and no less."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, get_args, get_origin, get_type_hints

import pytest

from lsp_server.client import AsyncCoeditor, Coeditor, requests
from lsp_server.wire.params import MISSING
from lsp_server.wire.tools import BY_NAME

Schema: TypeAlias = Mapping[str, Any]

_PLAIN: Mapping[object, str] = {str: "string", int: "integer", bool: "boolean", float: "number"}


def _schema(kind: Any) -> Any:
    """The part of a JSON Schema that a type tells."""
    if typing.is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        fields = {
            name: _schema(get_args(hint)[0] if get_origin(hint) is NotRequired else hint)
            for name, hint in hints.items()
        }
        required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
        return {"fields": fields, "required": sorted(required)}
    if get_origin(kind) is Literal:
        values = get_args(kind)
        return {"const": values[0]} if len(values) == 1 else {"enum": sorted(values)}
    if get_origin(kind) is list:
        return {"items": _schema(get_args(kind)[0])}
    if get_origin(kind) is dict:
        return "object"
    if get_origin(kind) in (types.UnionType, typing.Union):
        one, none = get_args(kind)
        assert none is types.NoneType
        return {"nullable": _schema(one)}
    return _PLAIN[kind]


def _told(schema: Schema) -> Any:
    """The same part of a schema."""
    kind = schema.get("type")
    if isinstance(kind, list):
        (one,) = (each for each in kind if each != "null")
        return {"nullable": _told({**schema, "type": one})}
    if "const" in schema:
        return {"const": schema["const"]}
    if "enum" in schema:
        return {"enum": sorted(schema["enum"])}
    if schema.get("properties"):
        fields = {name: _told(each) for name, each in schema["properties"].items()}
        return {"fields": fields, "required": sorted(schema["required"])}
    return {"items": _told(schema["items"])} if kind == "array" else kind


@pytest.mark.parametrize("name", BY_NAME)
def test_result_type_is_the_schema(name: str) -> None:
    made = get_type_hints(getattr(requests, name))["return"]
    assert _schema(get_args(made)[0]) == _told(BY_NAME[name].result)


@pytest.mark.parametrize("name", BY_NAME)
def test_parameters_are_the_tools(name: str) -> None:
    told = inspect.signature(getattr(requests, name)).parameters
    params = {param.name: param for param in BY_NAME[name].params}
    assert set(told) == set(params)
    for each in told.values():
        param = params[each.name]
        if param.default is not MISSING:
            assert each.default == param.default
        elif param.required and name != "edit":
            assert each.default is inspect.Parameter.empty
        else:
            assert each.default in (None, "", inspect.Parameter.empty)


@pytest.mark.parametrize("kind", [Coeditor, AsyncCoeditor])
@pytest.mark.parametrize("name", BY_NAME)
def test_both_clients_have_every_tool(kind: type, name: str) -> None:
    method = getattr(kind, name)
    assert method.__name__ == name
    assert method.__doc__


def test_what_is_left_out_is_not_sent() -> None:
    assert requests.glob("*.py").arguments == {"pattern": "*.py", "limit": 200}
