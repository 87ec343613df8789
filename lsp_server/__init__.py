"""The doors, the walk of a request, and what follows an edit.

This package never opens a user's file itself and never writes SQL. Importing it loads nothing beyond the
standard library, since the relay that agents start must answer at once.
"""

__version__ = "0.1.0"
