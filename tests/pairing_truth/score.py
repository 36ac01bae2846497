"""How many rows are right, and the wrong ones in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import KINDS, Diff, RowKind
from ortstudio.model.model import Model
from tests.pairing_truth.cases import Case, Choice, Row, result_names, source_names


@dataclass(frozen=True)
class Score:
    """The rows said and the rows expected, for one case."""

    case: Case
    said: frozenset[Row]
    expected: frozenset[Row]

    def of(self, kind: RowKind) -> Score:
        """The same for the rows of one kind."""
        said, expected = (
            frozenset(row for row in rows if row.kind == kind)
            for rows in (self.said, self.expected)
        )
        return Score(self.case, said, expected)

    @property
    def right(self) -> int:
        """Rows that are both."""
        return len(self.said & self.expected)

    @property
    def wrong(self) -> frozenset[Row]:
        """Rows that were said and are not true."""
        return self.said - self.expected

    @property
    def missed(self) -> frozenset[Row]:
        """Rows that are true and were not said."""
        return self.expected - self.said


def score(case: Case, a: Model, b: Model, diff: Diff) -> Score:
    """Hold a comparison against the truth, each choice read as suits it best."""
    said = frozenset(Row(row.kind, frozenset(row.a), frozenset(row.b)) for row in diff.nodes)
    chosen = (_best(choice, said) for choice in case.expected(a, b))
    return Score(case, said, frozenset(row for reading in chosen for row in reading))


def _best(choice: Choice, said: frozenset[Row]) -> frozenset[Row]:
    return max(choice.readings, key=lambda rows: len(rows & said) / len(rows))


def precision(scores: Iterable[Score]) -> float:
    """Rows right by rows said."""
    return _ratio([(found.right, len(found.said)) for found in scores])


def recall(scores: Iterable[Score]) -> float:
    """Rows right by rows expected."""
    return _ratio([(found.right, len(found.expected)) for found in scores])


def _ratio(counts: Sequence[tuple[int, int]]) -> float:
    return sum(right for right, _ in counts) / max(1, sum(of for _, of in counts))


def report(scores: Sequence[Score], models: Mapping[str, tuple[Model, Model]]) -> str:
    """Precision and recall in all and by kind, then every wrong and every missed row."""
    lines = [f"{len(scores)} cases of {len({found.case.model for found in scores})} models"]
    lines.append(_counts("all", scores))
    lines += [_counts(kind, [found.of(kind) for found in scores]) for kind in KINDS]
    for found in scores:
        if found.said != found.expected:
            lines += _lines(found, *models[found.case.name])
    return "\n".join(lines)


def _counts(what: str, scores: Sequence[Score]) -> str:
    expected = sum(len(found.expected) for found in scores)
    return (
        f"{what:8} {expected:5} rows expected,"
        f" precision {precision(scores):.4f}, recall {recall(scores):.4f}"
    )


def _lines(found: Score, a: Model, b: Model) -> list[str]:
    names_a = {ref: name for name, ref in source_names(a).items()}
    names_b = {ref: name for name, ref in result_names(b).items()}
    said = sorted(_text(row, names_a, names_b) for row in found.wrong)
    missed = sorted(_text(row, names_a, names_b) for row in found.missed)
    return [
        f"{found.case.name}",
        *(f"  wrong   {text}" for text in said),
        *(f"  missed  {text}" for text in missed),
    ]


def _text(row: Row, a: Mapping[NodeRef, str], b: Mapping[NodeRef, str]) -> str:
    width = max(len(kind) for kind in KINDS)
    sources = ", ".join(sorted(a[ref] for ref in row.a))
    results = ", ".join(sorted(b[ref] for ref in row.b))
    return f"{row.kind:{width}} {sources or 'nothing'} -> {results or 'nothing'}"
