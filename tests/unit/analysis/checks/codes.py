"""Findings in short, for comparing."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.findings import findings
from ortstudio.model.model import Model
from tests.builders.knowledge import format_versions, operators


def found(
    model: Model, path: str = "", external: Mapping[str, int | None] | None = None
) -> list[Finding]:
    """All findings about a model but that its version is not set."""
    return findings(model, operators(), format_versions(), path=path, external=external)


def codes(
    model: Model, path: str = "", external: Mapping[str, int | None] | None = None
) -> list[str]:
    """`severity code` of each finding."""
    return [f"{finding.severity} {finding.code}" for finding in found(model, path, external)]
