"""Which subjects there are, and running one.

Never: a list that somebody has to keep; a subject is a file.
"""

from __future__ import annotations

import importlib
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figure

Run = Callable[[bool], list[Figure]]

_PREFIX = "bench_"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one subject gave."""

    subject: str
    seconds: float
    """How long the measuring took."""
    figures: tuple[Figure, ...]


def subjects() -> list[str]:
    """Every subject, by name."""
    folder = Path(__file__).parent
    return sorted(path.stem.removeprefix(_PREFIX) for path in folder.glob(f"{_PREFIX}*.py"))


def run(subject: str, *, quick: bool = False) -> Measured:
    """Measure one subject. Errors: whatever it raises, and ValueError for figures of one name."""
    module = importlib.import_module(f"tests.benchmarks.{_PREFIX}{subject}")
    measure: Run = module.run
    started = time.perf_counter()
    figures = tuple(measure(quick))
    names = [figure.name for figure in figures]
    if len(set(names)) != len(names):
        raise ValueError(f"{subject} has two figures of one name: {names}")
    return Measured(subject, time.perf_counter() - started, figures)


def circumstances(load: float | list[float], *, quick: bool) -> dict[str, Any]:
    """When and on what it was measured, and how loaded that was."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
            "load": load,
        },
    }
