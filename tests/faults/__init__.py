"""A real server on real disks that are full, closed, slow to tell or far away: what was answered stays true.

Never: a system call that is only said to fail; those are in ``tests/editor_clients/test_transaction_faults.py``.
"""
