"""How much memory a conversion takes, how much there is for all, and how many go side by side."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ortstudio.analysis.words import size_text
from ortstudio.errors import UsageError
from ortstudio.jobs import machine, platform
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings

CHILD_BYTES = 192 << 20
"""What a child takes before it loads a model, 65 MB with onnxruntime 1.32, and room for runs."""
THREAD_BYTES = 8 << 20
"""The stack of each thread of a session."""
WEIGHTS = 3
"""Weights are held this many times at once: in the file, as tensors, and packed for the kernels."""
STRUCTURE = 30
STRUCTURE_BYTES = 8 << 20
"""A node takes this many times its bytes in the file. So much of a file is taken to be nodes."""
OWN_BYTES = 64 << 20
"""What we need besides what we have when the work begins: results that are read and compared."""
FREE_SHARE = 0.75
"""Of what is free, unless a number was given."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a run has: children side by side, threads of each, and memory for all of them.

    `threads` is None where a child may have as many as it likes.
    """

    jobs: int
    memory_bytes: int
    threads: int | None


def need_bytes(source: PlannedSource, threads: int | None) -> int:
    """What a child takes at most while it converts and verifies a source, by the files' sizes."""
    sizes = [identity.size for _path, identity in source.identities]
    if source.refusal is not None or not sizes:
        return 0
    nodes = min(sizes[0], STRUCTURE_BYTES)
    stacks = (threads or machine.processors()) * THREAD_BYTES
    return CHILD_BYTES + stacks + WEIGHTS * sum(sizes) + (STRUCTURE - WEIGHTS) * nodes


def means(settings: ConvertSettings, count: int) -> Means:
    """What there is for so many sources. Raises UsageError where the memory does for no child.

    One child more than there are processors: one of them waits for the disk or for us.
    """
    jobs = max(1, min(settings.jobs or machine.processors() + 1, count))
    threads = max(1, machine.processors() // jobs) if jobs > 1 else None
    own = (platform.resident_bytes(os.getpid()) or 0) + OWN_BYTES
    if settings.memory is None:
        free = int(machine.free_memory_bytes() * FREE_SHARE) - own
        return Means(jobs, max(free, CHILD_BYTES), threads)
    if settings.memory < own + CHILD_BYTES:
        raise UsageError(
            f"{size_text(settings.memory)} of memory are not enough to convert anything",
            hint=f"Give at least {size_text(own + CHILD_BYTES)} with --memory.",
        )
    return Means(jobs, settings.memory - own, threads)
