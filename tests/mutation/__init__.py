"""Mutation testing of what finds and writes texts: ``python -m tests.mutation``.

Each mutant is the code with one small change; a test that fails kills it. Those that survive are held against
``survivors.toml``, where each has the reason why no test can or need tell it apart. A survivor without one is an exit
status, and so is a reason for a mutant that was killed.

It needs ``mutmut`` in the same environment (``.ci/full`` installs it) and hours for everything, so modules are looked
at one by one, and the time can be bounded; what was not reached is named. Never: a change of the sources themselves.
"""
