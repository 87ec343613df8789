"""What each real agent is seen to do, by which test; and why not, where it is not.

Never: an agent or a clause without one of the two; ``tests/house`` holds it together with the tests.
"""

from __future__ import annotations

from collections.abc import Mapping

_TOOLS = "test_our_tools_are_found_refuse_over_typing_and_tell_new_problems"
_NATIVE = "test_native_tools_are_guarded_by_the_hook"

CLAUSES: Mapping[str, tuple[str, str]] = {
    "finds our tools and reads": (_TOOLS, '"def total(prices)" in play.sent_after("read")'),
    "is refused over unsaved typing": (_TOOLS, '"unsaved" in refused'),
    "is shown the typing by the refusal": (_TOOLS, '"Ask the cook" in refused'),
    "reads again": (_TOOLS, '"Ask the cook" in play.sent_after("again")'),
    "edits on top of the typing": (_TOOLS, "document.text == TYPED + BEFORE"),
    "is sent the new problem": (_TOOLS, '"Undefined name `digits`" in play.sent_after("edited")'),
    "has its own edit and whole-file write guarded": (_NATIVE, 'for mark in ("edited", "written")'),
    "has its own edit of a calm file recorded": (_NATIVE, '== ["calm.txt"]'),
    "has a sub-agent told apart": ("test_a_sub_agent_is_told_apart", '"not read" in _result_of(play, "sub")'),
    "has its compaction heard": ("test_a_compaction_is_heard", '"not read" in play.sent_after("edited")'),
}
"""By clause: the test, and what in it sees to it."""

NOT_SEEN: Mapping[tuple[str, str], str] = {
    ("cline", "has a sub-agent told apart"): "3.0.65 gives its sub-agents no tools of MCP servers.",
    ("gemini", "has a sub-agent told apart"): (
        "0.61.0: hooks and calls of a sub-agent carry the session of its parent, and no name of their own."
    ),
    ("cline", "has its compaction heard"): "3.0.65 was not brought to compact by a scripted model.",
    (
        "copilot",
        "has its compaction heard",
    ): "1.0.102 tells of its beginning alone, which is tried as a payload.",
    ("gemini", "has its compaction heard"): (
        "0.61.0 runs PreCompress before each request, whether it compresses or not: it tells nothing."
    ),
}
"""By agent and clause: the measured reason."""
