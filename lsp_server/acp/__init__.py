"""``coeditor acp``: between a host and its agent, which speak the Agent Client Protocol.

This package never decides about a file, and imports nothing that costs time.
"""
