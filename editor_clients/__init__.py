"""Text, buffers, editors and the disk.

This package never decides what an agent may do and never keeps a record of it: of the ledger it sees
only the nouns (``ledger.types``) and the errors (``ledger.errors``).
"""
