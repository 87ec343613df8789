"""Which language servers there are, for what, and where their programs are found.

Never: starting one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Literal

from editor_clients.loose_json import Json, as_list, as_object, as_text

Mode = Literal["push", "pull", "tsserver"]


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One language server: what it is called, started with, and good for."""

    name: str
    command: tuple[str, ...]
    languages: Mapping[str, str]
    """From the ending of a file's name (``.py``), or a whole name (``go.mod``), to LSP's language id."""
    mode: Mode = "push"
    """Whether it is asked for diagnostics, or sends them by itself; only one of the two is offered to it.

    ``tsserver``: TypeScript behind it is asked.
    """
    versioned: bool = False
    """Its reports name the document version, so that the first one for the text at hand counts at once."""
    on_save: bool = False
    """It checks (also) when the file is saved."""
    group: str | None = None
    """Of the servers of one group only the first whose program is found, and can be started, is used."""
    settings: Json = field(default_factory=dict)
    """What it is told when it asks for its configuration."""
    options: Json | None = None
    """``initializationOptions``."""
    enabled: bool = True

    def language_of(self, path: str) -> str | None:
        """LSP's language id of a file; None when this server is not for it."""
        name = os.path.basename(path)
        return self.language_of_name(name, os.path.splitext(name)[1].lower())

    def language_of_name(self, name: str, ending: str) -> str | None:
        """The same by the last part of its path, and by how that ends (``.py``), in lower case."""
        return self.languages[name] if name in self.languages else self.languages.get(ending)


_PYTHON = {".py": "python", ".pyi": "python"}
_TYPESCRIPT = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
_C = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
    ".m": "objective-c",
    ".mm": "objective-cpp",
}
_CALM_TYPES: Json = {"analysis": {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "standard"}}
"""A project's own configuration wins over these."""

_VALIDATED: Json = {"validate": True}

DEFAULT_SPECS: tuple[ServerSpec, ...] = (
    ServerSpec("ruff", ("ruff", "server"), _PYTHON, versioned=True),
    ServerSpec(
        "basedpyright",
        ("basedpyright-langserver", "--stdio"),
        _PYTHON,
        mode="pull",
        group="python types",
        settings={"basedpyright": _CALM_TYPES, "python": _CALM_TYPES},
    ),
    ServerSpec(
        "pyright",
        ("pyright-langserver", "--stdio"),
        _PYTHON,
        group="python types",
        settings={"pyright": _CALM_TYPES, "python": _CALM_TYPES},
    ),
    ServerSpec(
        "typescript",
        ("typescript-language-server", "--stdio"),
        _TYPESCRIPT,
        mode="tsserver",
        group="typescript types",
        # Nothing is fetched from the network for a question about a file, and one TypeScript is enough.
        options={"disableAutomaticTypingAcquisition": True, "tsserver": {"useSyntaxServer": "never"}},
    ),
    # From version 7 on the compiler is a language server itself; older ones do not start, and are said once.
    ServerSpec("tsc", ("tsc", "--lsp", "--stdio"), _TYPESCRIPT, mode="pull", group="typescript types"),
    ServerSpec(
        "json",
        ("vscode-json-language-server", "--stdio"),
        {".json": "json", ".jsonc": "jsonc"},
        mode="pull",
        options={"provideFormatter": False},
    ),
    ServerSpec(
        "css",
        ("vscode-css-language-server", "--stdio"),
        {".css": "css", ".scss": "scss", ".less": "less"},
        mode="pull",
        settings={"css": _VALIDATED, "scss": _VALIDATED, "less": _VALIDATED},
        options={"provideFormatter": False},
    ),
    ServerSpec(
        "html",
        ("vscode-html-language-server", "--stdio"),
        {".html": "html", ".htm": "html"},
        mode="pull",
        options={"provideFormatter": False},
    ),
    ServerSpec("yaml", ("yaml-language-server", "--stdio"), {".yaml": "yaml", ".yml": "yaml"}),
    ServerSpec(
        "bash",
        ("bash-language-server", "start"),
        {".sh": "shellscript", ".bash": "shellscript"},
        versioned=True,
    ),
    ServerSpec("clangd", ("clangd", "--log=error"), _C, versioned=True),
    ServerSpec("gopls", ("gopls",), {".go": "go", "go.mod": "go.mod"}, versioned=True),
    ServerSpec("rust-analyzer", ("rust-analyzer",), {".rs": "rust"}, versioned=True, on_save=True),
)

Finder = Callable[[str, str], str | None]
"""From a program's name and the root to its path; None when it is not there."""


def find_program(name: str, root: str, *, project: bool = True) -> str | None:
    """Where a program is: beside our own Python, on PATH, or (``project``) in the environment of ``root``.

    The project's own come last, and not at all for a project that is not trusted: they are its code.
    """
    if PurePath(name).is_absolute():
        return shutil.which(name)
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    if project:
        folders += [str(Path(root, *below)) for below in ((".venv", "bin"), ("node_modules", ".bin"))]
    return next((found for folder in folders if (found := shutil.which(name, path=folder))), None)


def find_trusted_program(name: str, root: str) -> str | None:
    """As ``find_program``, but never a program that the project brings along."""
    return find_program(name, root, project=False)


def with_overrides(
    overrides: Mapping[str, object], specs: tuple[ServerSpec, ...] = DEFAULT_SPECS
) -> tuple[tuple[ServerSpec, ...], tuple[str, ...]]:
    """``specs`` as the settings change them, and one sentence for each setting that could not be used.

    ``{name: false}`` turns a server off; ``{name: {command, languages, mode, versioned, on_save, settings,
    options, enabled}}`` changes some fields of a known one, or adds one (with ``command`` and ``languages``).
    """
    found = {spec.name: spec for spec in specs}
    problems: list[str] = []
    for name, wanted in overrides.items():
        if isinstance(wanted, bool):
            if name in found:
                found[name] = replace(found[name], enabled=wanted)
        elif not isinstance(wanted, dict):
            problems.append(f"language_servers.{name} must be an object, true or false.")
        elif (spec := _changed(name, found.get(name), wanted, problems)) is not None:
            found[name] = spec
    return tuple(found.values()), tuple(problems)


def _changed(name: str, base: ServerSpec | None, wanted: Json, problems: list[str]) -> ServerSpec | None:
    spec = base or ServerSpec(name, (), {})
    for key, value in wanted.items():
        changed = _with_field(spec, key, value)
        if changed is None:
            problems.append(f"language_servers.{name}.{key} is not understood and was ignored.")
        else:
            spec = changed
    if spec.command and spec.languages:
        return spec
    problems.append(f"language_servers.{name} needs a command and languages.")
    return None


def _with_field(spec: ServerSpec, key: str, value: object) -> ServerSpec | None:
    """``spec`` with one field changed; None when key or value make no sense."""
    match key, value:
        case "command", list() if value and all(isinstance(word, str) for word in value):
            return replace(spec, command=tuple(as_text(word) for word in as_list(value)))
        case "languages", dict() if all(isinstance(word, str) for word in value.values()):
            return replace(spec, languages={ending: as_text(language) for ending, language in value.items()})
        case "mode", "push":
            return replace(spec, mode="push")
        case "mode", "pull":
            return replace(spec, mode="pull")
        case "mode", "tsserver":
            return replace(spec, mode="tsserver")
        case "versioned", bool():
            return replace(spec, versioned=value)
        case "on_save", bool():
            return replace(spec, on_save=value)
        case "enabled", bool():
            return replace(spec, enabled=value)
        case "settings", dict():
            return replace(spec, settings=as_object(value))
        case "options", dict():
            return replace(spec, options=as_object(value))
        case _:
            return None
