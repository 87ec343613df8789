"""What was seen, what is allowed, what was done.

This package never speaks a protocol, never awaits, and never reads or writes a user's file.
"""
