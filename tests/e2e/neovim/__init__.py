"""The walk in a real Neovim: its keys, its buffers, its undo, with real agents beside it."""
