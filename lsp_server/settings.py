"""Settings: one table of names, from which defaults, checks and precedence come.

Later sources win: defaults, the user's file, the project's file, the editor, what the editor has from the
repository (VS Code's workspace settings), ``COEDITOR_SETTINGS``. What belongs to a repository can only tighten what
is a matter of policy (README, "Settings").

Never: an exception for a bad setting. It is reported in ``Settings.problems`` and the safe default stays.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ledger.secret_files import DEFAULTS as SECRET_FILES

Source = Literal["user", "project", "editor", "environment"]

DEFAULT_LIMITS: Mapping[str, int] = MappingProxyType(
    {
        "patch_bytes": 1 << 20,
        "patch_files": 100,
        "patch_chunks": 1_000,
        "patch_lines": 50_000,
        "patch_file_bytes": 10 << 20,
        "transaction_bytes": 32 << 20,
        "file_bytes": 64 << 20,
        "diff_chars": 20_000,
        "refusal_lines": 40,
        "refusal_chars": 4_000,
        "lock_seconds": 10,
        "settle_ms": 5_000,
        "image_bytes": 3_750_000,
        "image_side": 8_000,
        "sessions": 200,
        "session_days": 14,
        "history_edits": 20_000,
        "history_days": 30,
        "history_mib": 256,
        "ask_seconds": 45,
        "search_seconds": 30,
        "diagnostics_ms": 1_500,
        "diagnostics_items": 50,
        "language_server_mib": 4_096,
        "language_server_idle_seconds": 600,
    }
)

ASK_FIRST = (
    # What others' programs read as secrets, or run: an agent that may write there has more than a text editor.
    *(".env*", "!.env.example", "!.env.sample", "!.env.template", ".ssh/", "id_rsa*", "id_dsa*", "id_ecdsa*"),
    *("id_ed25519*", ".netrc", ".git-credentials", ".gitmodules", ".githooks/", ".husky/", ".lefthook/"),
    *("lefthook.yml", ".pre-commit-config.yaml", ".github/workflows/", ".github/actions/", ".gitlab-ci.yml"),
    *(".circleci/", ".buildkite/", "Jenkinsfile", "azure-pipelines.yml", ".vscode/", ".idea/", ".zed/"),
    *(".claude/", ".codex/", ".cursor/", ".gemini/", ".mcp.json", ".coeditor.toml"),
)

DEFAULT_EFFECTS: Mapping[str, bool] = MappingProxyType(
    {"diagnostics": True, "history": True, "refresh": True, "events": True}
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved once into flat values; names are those of README, "Settings"."""

    read_first: bool = True
    staleness: Literal["check-first", "on-miss"] = "check-first"
    unsaved: Literal["unseen-conflicts", "always-conflicts"] = "unseen-conflicts"
    on_conflict: Literal["refuse", "merge"] = "refuse"
    overwrite_unsaved: Literal["ask", "refuse", "allow"] = "ask"
    approval: Literal["never", "always"] = "never"
    unsaved_native: Literal["refuse", "save"] = "refuse"
    hook_failure: Literal["open", "closed"] = "open"
    matching: Literal["tolerant", "exact"] = "tolerant"
    replace_repeated: bool = False
    save: Literal["when-clean", "never", "always"] = "when-clean"
    new_file_eol: Literal["as-sent", "editorconfig"] = "as-sent"
    syntax_guard: Literal["off", "warn", "refuse"] = "off"
    preview_diagnostics: bool = False
    diagnostics_severity: Literal["error", "warning", "information", "hint"] = "hint"
    language_servers: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    track_external: bool = False
    durability: Literal["full", "fast"] = "full"
    read_chars: int = 40_000
    mode: Literal["read-only", "workspace-write", "full"] = "workspace-write"
    forbidden: tuple[str, ...] = ()
    ask_first: tuple[str, ...] = ASK_FIRST
    ignored_files: Literal["allow", "ask", "refuse"] = "allow"
    extensions: tuple[str, ...] = ()
    secret_files: tuple[str, ...] = SECRET_FILES
    roots: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=lambda: DEFAULT_LIMITS)
    side_effects: Mapping[str, bool] = field(default_factory=lambda: DEFAULT_EFFECTS)
    problems: tuple[str, ...] = field(default=())
    """One sentence for each thing in the sources that was not understood or not allowed there."""

    def limit(self, name: str) -> int:
        """The limit of that name, in the unit that its name ends with.

        Errors: KeyError for one that is not in `DEFAULT_LIMITS`.
        """
        return self.limits[name]


CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # In each row the strictest value comes first; a project's file may only move towards it.
        "staleness": ("check-first", "on-miss"),
        "unsaved": ("always-conflicts", "unseen-conflicts"),
        "on_conflict": ("refuse", "merge"),
        "overwrite_unsaved": ("refuse", "ask", "allow"),
        "approval": ("always", "never"),
        "unsaved_native": ("refuse", "save"),
        "hook_failure": ("closed", "open"),
        "matching": ("exact", "tolerant"),
        "mode": ("read-only", "workspace-write", "full"),
        "ignored_files": ("refuse", "ask", "allow"),
        "save": ("when-clean", "never", "always"),
        "new_file_eol": ("as-sent", "editorconfig"),
        "syntax_guard": ("refuse", "warn", "off"),
        "durability": ("full", "fast"),
        "diagnostics_severity": ("error", "warning", "information", "hint"),
    }
)
PATTERNS = ("forbidden", "ask_first", "secret_files")
LISTS = (*PATTERNS, "extensions", "roots")
STRICT_FLAGS = {"read_first": True, "replace_repeated": False}
_FILE_BYTES = 1 << 20
"""Of one file of settings."""
_LARGEST = 1 << 40
"""Of any number; more is a slip, and overflows somewhere."""
_SHOWN = 200
"""Characters of a value that is complained about."""
NAMES = tuple(f.name for f in fields(Settings) if f.name != "problems")
POLICY = frozenset(NAMES) - {
    "save",
    "new_file_eol",
    "preview_diagnostics",
    "diagnostics_severity",
    "track_external",
    "read_chars",
}
"""What a repository can only tighten; the others it may set."""


def load(
    root: str | None,
    environ: Mapping[str, str],
    editor: Mapping[str, Any] | None = None,
    workspace: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings in force for the workspace folder ``root``.

    ``editor``: what the person set in the editor; ``workspace``: what the editor found in the repository.
    """
    settings = Settings()
    for path, source, within in files(root, environ):
        settings = _merge_file(settings, path, source, within)
    if editor:
        settings = merge(settings, editor, "editor")
    if workspace:
        settings = merge(settings, workspace, "project")
    text = environ.get("COEDITOR_SETTINGS")
    if text:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            return _problem(settings, f"COEDITOR_SETTINGS is not JSON ({error}); it was ignored.")
        settings = merge(settings, found, "environment")
    return settings


def files(root: str | None, environ: Mapping[str, str]) -> tuple[tuple[Path, Source, tuple[str, ...]], ...]:
    """The files of settings, the weakest first: path, whose it is, and the tables that they are within."""
    config = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    user: tuple[Path, Source, tuple[str, ...]] = (config / "coeditor" / "config.toml", "user", ())
    if root is None:
        return (user,)
    return (
        user,
        (Path(root) / "pyproject.toml", "project", ("tool", "coeditor")),
        (Path(root) / ".coeditor.toml", "project", ()),
    )


def merge(settings: Settings, found: object, source: Source) -> Settings:
    """``settings`` with the values of one source over them, as far as that source may set them."""
    if not isinstance(found, Mapping):
        return _problem(settings, f"The settings of the {source} are not a table; they were ignored.")
    for name, value in found.items():
        if name not in NAMES:
            settings = _problem(settings, f"{source}: there is no setting {_shown(name)}.{_nearest(name)}")
            continue
        checked = _checked(settings, name, value)
        if checked is None:
            settings = _problem(settings, f"{source}: {name} cannot be {_shown(value)}; {_wanted(name)}.")
        elif source == "project" and name in POLICY:
            settings = _tighten(settings, name, checked)
        else:
            settings = _with(settings, name, checked)
    return settings


def _merge_file(settings: Settings, path: Path, source: Source, within: tuple[str, ...]) -> Settings:
    try:
        table: Any = tomllib.loads(_text(path))
    except (FileNotFoundError, NotADirectoryError):
        return settings
    except (OSError, ValueError, RecursionError) as error:
        return _problem(settings, f"{path} could not be read ({error}); its settings were ignored.")
    for key in within:
        table = table.get(key, {}) if isinstance(table, Mapping) else {}
    merged = merge(settings, table, source)
    told = len(settings.problems)
    mine = (f"{path}: {one.removeprefix(f'{source}: ')}" for one in merged.problems[told:])
    return replace(merged, problems=(*settings.problems, *mine))


def _nearest(name: object) -> str:
    """A sentence with the setting that may be meant; empty when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:100].lower().replace("-", "_"), NAMES, n=1, cutoff=0.7)
    return f" Did you mean {near[0]}?" if near else ""


def _text(path: Path) -> str:
    """A file's text. A named pipe in its place makes nobody wait. Errors: OSError, ValueError."""
    flags = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no regular file")
        data = file.read(_FILE_BYTES + 1)
    if len(data) > _FILE_BYTES:
        raise ValueError(f"it is larger than {_FILE_BYTES} bytes")
    return data.decode("utf-8").replace("\r\n", "\n")


def _checked(settings: Settings, name: str, value: object) -> object | None:
    """The value in the form that the field holds, or None when it does not fit."""
    if name in CHOICES:
        return value if isinstance(value, str) and value in CHOICES[name] else None
    if name in LISTS:
        good = isinstance(value, (list, tuple)) and all(_fits_list(name, item) for item in value)
        return tuple(value) if good else None  # type: ignore[arg-type]
    if name == "limits":
        return _table(
            settings.limits,
            value,
            lambda item: type(item) is int and 0 < item <= _LARGEST,  # a bool is an int too
        )
    if name == "side_effects":
        return _table(settings.side_effects, value, lambda item: isinstance(item, bool))
    if name == "language_servers":
        good = isinstance(value, Mapping) and all(
            isinstance(key, str) and isinstance(one, bool | Mapping) for key, one in value.items()
        )
        return MappingProxyType({**settings.language_servers, **value}) if good else None  # type: ignore[dict-item]
    if name == "read_chars":
        good = isinstance(value, int) and not isinstance(value, bool) and 1_000 <= value <= _LARGEST
        return value if good else None
    return value if isinstance(value, bool) else None


def _fits_list(name: str, item: object) -> bool:
    """Whether ``item`` may stand in the list of this setting."""
    if not isinstance(item, str) or not item.isprintable():
        return False  # half a character, a NUL, a line break: no name in a file system that anybody means
    if name in ("forbidden", "ask_first"):
        from editor_clients.patterns import is_pattern

        return is_pattern(item)
    if name == "roots":
        return os.path.isabs(os.path.expanduser(item))
    return bool(item) and not (name == "extensions" and "/" in item)


def _table(current: Mapping[str, Any], value: object, fits: Any) -> Mapping[str, Any] | None:
    if not isinstance(value, Mapping):
        return None
    if any(key not in current or isinstance(item, str) or not fits(item) for key, item in value.items()):
        return None
    return MappingProxyType({**current, **value})


def _tighten(settings: Settings, name: str, value: Any) -> Settings:
    """Take a project's value only where it is stricter than what holds already."""
    now: Any = getattr(settings, name)
    if name in PATTERNS:
        # The last one that fits decides: what a repository excepts must not be what was there already.
        excepts = any(one.startswith("!") for one in value)
        both = (*value, *now) if excepts else (*(one for one in now if one not in value), *value)
        return _with(settings, name, both)
    if name == "limits":
        # What is kept of the history is the person's safety net, and no repository's to cut.
        smaller = {
            key: item if key.startswith("history_") else min(item, value[key]) for key, item in now.items()
        }
        return replace(settings, limits=MappingProxyType(smaller))
    if name == "side_effects":
        # A repository may switch an effect on, and none off: history is the person's safety net.
        more = {key: item or value[key] for key, item in now.items()}
        if more == value:
            return replace(settings, side_effects=MappingProxyType(more))
        settings = _problem(settings, "project: side_effects cannot be switched off there; they stay on.")
        return replace(settings, side_effects=MappingProxyType(more))
    if name == "language_servers":
        return _tighten_servers(settings, value)
    if name in STRICT_FLAGS:
        stricter = value == STRICT_FLAGS[name]
    elif name == "roots":
        stricter = set(value) <= set(now)
    elif name == "extensions":
        stricter = not now or (bool(value) and set(value) <= set(now))
    else:
        stricter = CHOICES[name].index(value) <= CHOICES[name].index(now)
    if stricter:
        return _with(settings, name, value)
    return _problem(settings, f"project: {name} = {value!r} would loosen what is set, so it was ignored.")


def _tighten_servers(settings: Settings, value: Mapping[str, object]) -> Settings:
    """A repository may turn a language server off, and nothing else: its command would be the repository's."""
    off = {name: False for name, wanted in value.items() if wanted is False}
    for name, wanted in value.items():
        if wanted is not False and settings.language_servers.get(name) != wanted:
            settings = _problem(
                settings, f"project: language_servers.{name} can only be turned off there, so it was ignored."
            )
    merged = MappingProxyType({**settings.language_servers, **off})
    return replace(settings, language_servers=merged)


def _shown(value: object) -> str:
    """A value from outside, short and on one line."""
    try:
        text = ascii(value)
    except RecursionError:
        text = "that deep a value"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _wanted(name: str) -> str:
    if name in CHOICES:
        return "it is one of " + ", ".join(repr(choice) for choice in CHOICES[name])
    if name == "roots":
        return "it is a list of absolute folders"
    if name in ("forbidden", "ask_first"):
        return "it is a list of gitignore patterns"
    if name == "extensions":
        return "it is a list of endings, or of whole names"
    if name in LISTS:
        return "it is a list of strings"
    if name == "limits":
        return "it is a table of positive numbers named " + ", ".join(DEFAULT_LIMITS)
    if name == "language_servers":
        return "it is a table of false or of tables with command, languages and so on"
    if name == "side_effects":
        return "it is a table of true or false named " + ", ".join(DEFAULT_EFFECTS)
    return "it is a number of at least 1000" if name == "read_chars" else "it is true or false"


def _with(settings: Settings, name: str, value: Any) -> Settings:
    changed: dict[str, Any] = {name: value}
    return replace(settings, **changed)


def _problem(settings: Settings, sentence: str) -> Settings:
    return replace(settings, problems=(*settings.problems, sentence))


def from_environment(root: str | None) -> Settings:
    """The settings for ``root`` in this process's own environment."""
    return load(root, os.environ)
