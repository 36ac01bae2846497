"""What became of a file: the answer's row, and the proof that old and new are the same."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.services.conversion import Converted
from ortstudio.services.runtimes import Runtime
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.verify import Verified

OLD = "the old file's"
"""Whose outputs those of the new one are compared with."""


@dataclass(frozen=True, slots=True)
class ReleaseRun:
    """Old and new run under one release; `found` says why not where they were not.

    With `replayed` both applied their saved optimizations. `old_under` is the release that ran the
    old file, where this one does not read it.
    """

    runtime: Runtime
    found: Verified | str
    replayed: bool = False
    old_under: str = ""

    @property
    def words(self) -> str:
        """`1.32.0`, `1.32.0, saved optimizations applied`."""
        text = self.runtime.onnxruntime
        text += ", saved optimizations applied" if self.replayed else ""
        return text + (f", the old file under {self.old_under}" if self.old_under else "")

    def to_json(self) -> dict[str, object]:
        """One entry of the proof's `runs`."""
        compared = self.found if isinstance(self.found, Verified) else None
        return {
            "runtime": self.runtime.name,
            "onnxruntime": self.runtime.onnxruntime,
            "old_file_under": self.old_under or self.runtime.onnxruntime,
            "saved_optimizations_applied": self.replayed,
            "verified": compared.to_json() if compared else None,
            "verify_skipped": None if compared else self.found,
        }


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of old and new.

    `nodes` were compared one by one, and each of the `operators` in use has its resolver entry;
    `changes` are the differences in words.
    """

    source_sha256: str
    result_sha256: str
    nodes: int
    operators: int
    resolver_entries: int
    records_before: int
    records_after: int
    changes: tuple[str, ...]
    runs: tuple[ReleaseRun, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The row's `proof`."""
        return {
            "source_sha256": self.source_sha256,
            "result_sha256": self.result_sha256,
            "nodes_the_same": self.nodes,
            "operators": self.operators,
            "resolver_entries": self.resolver_entries,
            "runtime_optimizations": {"before": self.records_before, "after": self.records_after},
            "changes": list(self.changes),
            "runs": [run.to_json() for run in self.runs],
        }


@dataclass(frozen=True, slots=True)
class Upgraded(Converted):
    """What became of one file; `proof` is None where nothing was made of it."""

    planned: PlannedUpgrade | None = None
    proof: Proof | None = None

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        explained = {} if self.planned is None else self.planned.explained()
        proof = None if self.proof is None else self.proof.to_json()
        return Converted.to_json(self) | explained | {"proof": proof}
