"""All that is to be said against a model, without running anything."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.analysis.checks.constants import check_constants
from ortstudio.analysis.checks.conversion import check_conversion
from ortstudio.analysis.checks.edges import check_edges
from ortstudio.analysis.checks.file import (
    check_container,
    check_damage,
    check_header,
    check_name,
    check_version,
)
from ortstudio.analysis.checks.kernels import check_optimizations, check_resolver
from ortstudio.analysis.checks.nodes import check_nodes
from ortstudio.analysis.checks.operators import check_imports, check_ties
from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.checks.values import check_values
from ortstudio.analysis.finding import SEVERITIES, Finding
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.versions import FormatVersions
from ortstudio.model.model import FileKind, Model

_FILE = (check_damage, check_name, check_container, check_version)
_CONTENT = (
    check_header,
    check_constants,
    check_values,
    check_nodes,
    check_edges,
    check_imports,
    check_ties,
    check_resolver,
    check_optimizations,
    check_conversion,
)


def findings(
    model: Model,
    operators: Operators,
    versions: FormatVersions,
    *,
    path: str = "",
    external: Mapping[str, int | None] | None = None,
) -> list[Finding]:
    """Every finding, errors first.

    `path` is the file's name where that should be judged too. `external` gives the bytes of each
    file that holds weights, by the location that the model states, None where it is missing;
    without it no such file is looked for. Of a damaged model only the file is judged: what could
    not be read would look like something missing.
    """
    subject = Subject(model, operators, versions, path, external)
    checks = list(_FILE)
    if model.error is None:
        if model.kind in (FileKind.ORT, FileKind.ONNX):
            checks += _CONTENT
        else:
            checks.append(check_constants)
    found = [finding for check in checks for finding in check(subject)]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
