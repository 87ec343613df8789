"""Real agents' binaries against a model that plays a script: ``pytest -m agents``, opt-in.

They are installed by npm in pinned versions, into the tests' cache. Each runs with a home of its own, in a network
that has the loopback alone where the system allows that; no other address is ever a target.
"""
