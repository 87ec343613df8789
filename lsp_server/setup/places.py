"""Where agents and editors keep their configuration.

Never: a look at what is there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one person, and of one project."""

    home: Path
    project: Path
    environ: Mapping[str, str]
    fails_closed: bool = False
    """The person wants calls refused that cannot be checked: the setting ``hook_failure``."""
    has_tool_hooks: bool = False
    """The person's Claude Code knows hooks that call a server's tool."""
    acp_programs: Collection[str] = ()
    """Programs that speak the Agent Client Protocol and are here; when all goes out again, any that might be."""

    def config(self, name: str) -> Path:
        """A program's folder in the XDG configuration folder."""
        given = self.environ.get("XDG_CONFIG_HOME", "")
        return (Path(given) if os.path.isabs(given) else self.home / ".config") / name

    def of(self, variable: str, default: str) -> Path:
        """A folder that a variable can move."""
        given = self.environ.get(variable, "")
        return Path(given) if os.path.isabs(given) else self.home / default


def own_command() -> list[str]:
    """How this installation is started, by an absolute path."""
    script = Path(sys.executable).parent / ("coeditor.exe" if sys.platform == "win32" else "coeditor")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "lsp_server"]
