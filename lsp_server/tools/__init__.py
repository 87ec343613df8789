"""One file for each family of tools: decoded arguments in, result object out.

Never: a protocol, or a change of a file by any way but the walk in ``pipeline``.
"""
