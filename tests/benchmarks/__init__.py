"""How long things take and how large they get, in figures: ``python -m tests.benchmarks``.

A subject is a module ``bench_<subject>.py`` in this folder with one function, ``run(quick: bool) -> list[Figure]``;
it is found by its name. ``quick`` is for the tests, which only see to it that every subject still runs: a second or
two, whatever the figures. Helpers for measuring are in ``figures``.

Never: a test that fails since a machine is slow. Goals are printed beside the figures; ``--check`` turns a missed one
into an exit status, for who runs it on a quiet machine.
"""
