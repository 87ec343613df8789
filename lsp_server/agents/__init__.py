"""The doors that agents come in by: relay, socket, MCP, command line."""
