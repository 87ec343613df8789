"""Agents behind `coeditor acp`: hosts and agents made with the protocol's own SDK, each a real process or this one."""
