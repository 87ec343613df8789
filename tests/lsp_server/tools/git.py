"""A git work tree for tests, by the real program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Git:
    """Runs git in one folder, with nobody's configuration."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def __call__(self, *arguments: str, ok: bool = True) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.top, env=environment, capture_output=True, text=True, check=False
        )
        assert not ok or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """All that is there; the commit."""
        self("add", "-A")
        self("commit", "-q", "-m", message)
        return self("rev-parse", "HEAD")


def repository(top: Path) -> Git:
    """A new one in ``top``, on the branch main."""
    git = Git(top)
    git("init", "-q", "-b", "main")
    return git
