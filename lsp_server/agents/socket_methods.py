"""The names of the requests on the agents' socket that are no tool's.

What they ask for and answer is told where they are answered: ``calls``, ``hosts``. Never: behaviour.
"""

from __future__ import annotations

CALL = "coeditor/call"
"""One call of one tool."""
OUTCOME = "coeditor/outcome"
"""What became of a call whose answer was lost."""
PING = "coeditor/ping"
"""Whether the server is there."""
HAND_OVER = "coeditor/handOver"
"""Asks a headless server to end, for an editor's."""
HOST = "coeditor/host"
"""Who an agent's host is; the first message of that door."""
