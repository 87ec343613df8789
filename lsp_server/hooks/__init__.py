"""What agents' hooks say and are answered, one file for each agent's dialect.

This package never does I/O, never decides, and imports nothing that costs time: an agent waits for it at every call.
"""
