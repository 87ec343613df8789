"""Mutation testing of what finds and writes texts: ``python -m tests.mutation``.

Each mutant is the code with one small change; a test that fails kills it. Those that survive are held against
``survivors.toml``, where each has the reason why no test can or need tell it apart. A survivor without one is an exit
status, and so is a reason for a mutant that was killed. Modules that are not brought to that yet are named in
``modules.py``; the run prints them, and they decide nothing.

It needs ``mutmut`` in the same environment (``.ci/full`` installs it) and an hour or two for everything at one mutant
at a time. ``--only matching`` runs one module, ``--minutes`` bounds the time; the next run goes on where that one was
stopped, ``--fresh`` from the start. Never: a change of the sources themselves.
"""
