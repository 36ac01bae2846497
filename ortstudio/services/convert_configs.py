"""The operator configs for all models of a folder together, as far as they were made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ortstudio.analysis.required_operators import RequiredOperators, merged
from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.services.conversion import Converted, ConvertedModel, FolderConfig
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import ConvertPlan, PlannedSource
from ortstudio.services.convert_resume import Left, attest_ours, left
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.operator_config import config_text
from ortstudio.services.sessions import Style
from ortstudio.services.staging import check_target, publish, reserved


def write_configs(plan: ConvertPlan, rows: Sequence[Converted]) -> tuple[FolderConfig, ...]:
    """Write those that were planned; none where nothing at all was made for it.

    To a build, a config without operators means that there shall be none.
    """
    found = (_write(output, plan, rows) for output in plan.configs)
    return tuple(config for config in found if config is not None)


def _write(
    output: PlannedOutput, plan: ConvertPlan, rows: Sequence[Converted]
) -> FolderConfig | None:
    parts: list[RequiredOperators] = []
    missing: list[PlannedSource] = []
    for source, row in zip(plan.sources, rows, strict=True):
        if source.root is None or _folder(source, source.root) != output.path.parent:
            continue
        part = _required(row, output.style)
        if part is None:
            missing.append(source)
        else:
            parts.append(part)
    if not parts:
        return None
    left_out = tuple(source.source for source in missing)
    try:
        text = config_text(merged(parts), _comments(len(parts), missing))
        _publish(output, text, plan.sources[0].settings)
    except StudioError as error:
        return FolderConfig(output.path, output.style, left_out, error)
    return FolderConfig(output.path, output.style, left_out)


def _folder(source: PlannedSource, root: Path) -> Path:
    return Path(source.settings.output_dir or root)


def _required(row: Converted, style: Style) -> RequiredOperators | None:
    """What a model that is there needs; None where it is not."""
    if not isinstance(row, ConvertedModel):
        return None
    is_there = any(output.role == style.value for output in row.outputs)
    return row.required.get(style) if is_there else None


def _comments(covered: int, missing: Sequence[PlannedSource]) -> list[str]:
    if not missing:
        return [f"For {count(covered, 'model')}."]
    names = [source.source.relative_to(source.root or ".").as_posix() for source in missing]
    total = covered + len(missing)
    return [
        f"For {covered} of {count(total, 'model')}: a build by this need not run the others.",
        *(f"Not covered: {name}" for name in names),
    ]


def _publish(output: PlannedOutput, text: str, settings: ConvertSettings) -> None:
    is_ours = settings.resume and left(output.path) is Left.OURS
    overwrite = settings.overwrite or is_ours
    check_target(output.path, (), overwrite=overwrite)
    with reserved(output.path) as temporary:
        temporary.write_text(text, encoding="ascii", newline="\n")
        attest_ours(temporary)
        publish(temporary, output.path, overwrite=overwrite)
