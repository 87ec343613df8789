"""What happens around an agent's own tools: guarded before, recorded after.

This package never speaks an agent's dialect, and never changes a file; the agent does that.
"""
