"""Many agents and many documents on one server, for a while: nothing lost, nothing leaked.

    python -m tests.load --minutes 10 --agents 50 --documents 1000 --files 100000

Never: a part of the program.
"""
