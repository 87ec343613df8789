"""A server of its own process over the small service.

python -m tests.lsp_server.agents.small_server --headless --root R
"""

from __future__ import annotations

import sys
from pathlib import Path

from lsp_server.serve import main
from tests.lsp_server.agents.small_service import SmallService

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], build=lambda root: SmallService(Path(root))))
