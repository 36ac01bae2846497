"""A child under another runtime: what needs the onnx package is served under our own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from ortstudio.jobs.runner import AGENT, Child, OnMessage, Outcome, Question, agent_child

NODE_AGENT = Path(__file__).with_name("node_agent")
"""The agent in JavaScript."""

NEEDS_ONNX = ("accelerators", "check-onnx", "gather-weights", "tap", "update-opset")
"""Verbs whose answer is the same whatever release runs models."""


class HelpedChild(Child):
    """A child whose interpreter need not have onnx; ours is started when it is first needed."""

    _helper: Child | None = None

    def ask(
        self,
        verb: str,
        arguments: Mapping[str, object],
        *,
        on_message: OnMessage | None = None,
        cancelled: Question | None = None,
        timeout_s: float | None = None,
    ) -> Outcome:
        """As any child."""
        ask = self._ours().ask if verb in NEEDS_ONNX else super().ask
        outcome = ask(
            verb, arguments, on_message=on_message, cancelled=cancelled, timeout_s=timeout_s
        )
        self.starved |= outcome.starved
        return outcome

    def close(self) -> None:
        """End both."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()
        super().close()

    def _ours(self) -> Child:
        if self._helper is not None and not self._helper.usable:
            self._helper.close()
            self._helper = None
        if self._helper is None:
            self._helper = agent_child(memory_bytes=self._memory_bytes)
        return self._helper


def python_child(python: str, *, memory_bytes: int | None = None) -> Child:
    """The agent under an interpreter.

    What our environment says of modules is meant for ours, and so are compiled ones in our folder.
    """
    if python == sys.executable:
        return agent_child(memory_bytes=memory_bytes)
    return HelpedChild([python, "-B", "-E", str(AGENT)], memory_bytes=memory_bytes)


def node_child(package: str, folder: str) -> Child:
    """The agent under Node; `package` is `node` or `web`, and `folder` holds `node_modules`."""
    node = shutil.which("node") or "node"
    return HelpedChild([node, str(NODE_AGENT / "main.js"), package, folder])
