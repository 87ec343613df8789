"""Finding and replacing text: pure functions, never any I/O."""
