"""Coeditor for Python programs that run agents: ``Coeditor`` blocks, ``AsyncCoeditor`` is awaited.

Never: a shortcut into the server; it is reached as the command line reaches it.
"""

from ledger.errors import Code, CoeditorError
from lsp_server.client.awaited import AsyncCoeditor
from lsp_server.client.blocking import Coeditor
from lsp_server.client.requests import Request

__all__ = ["AsyncCoeditor", "Code", "Coeditor", "CoeditorError", "Request"]
