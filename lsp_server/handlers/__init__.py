"""The entry points that the editor calls over LSP."""
