"""For each use whether a file that is in ORT format already suits it, and else what to do."""

from __future__ import annotations

from dataclasses import replace

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.reasons import Case, Evidence, Reason, Stance, loaded_by, obstacles
from ortstudio.services.sessions import Style
from ortstudio.services.uses import (
    DEVICES,
    Recommendation,
    Use,
    best_outlook,
    device,
    of_source,
)

AS_IT_IS = "As it is."


def of_file(case: Case, use: Use) -> Recommendation:
    """What to do with the file for one use."""
    settings = of_source(case, use).settings
    against = tuple(obstacles(case))
    if against:
        return _refused(use, settings, against)
    portability = case.document.portability
    if portability.verdict == "this-cpu-family":
        against += (Reason(f"{portability.reasons[0].text}.", Evidence.FILE, Stance.AGAINST),)
    if use is Use.MINIMAL_BUILD:
        return _minimal(case, settings, against)
    if use in DEVICES:
        return _device(case, use, against)
    if use is Use.DESKTOP and against:
        text = "As it is, where the processors are of the kind that made it."
        return Recommendation(use, "ort", text, settings, against, converts=False)
    if against:
        return _again(use, settings, against)
    reason = Reason(f"{portability.reasons[-1].text}.", Evidence.FILE)
    return Recommendation(use, "ort", AS_IT_IS, settings, (reason,), converts=False)


def _refused(use: Use, settings: ConvertSettings, reasons: tuple[Reason, ...]) -> Recommendation:
    """What to do with a file that does not load, which may come of what the source holds."""
    if use in DEVICES:
        settings = replace(settings, styles=(Style.RUNTIME,))
    found = _again(use, settings, reasons)
    if use is Use.MINIMAL_BUILD:
        return found
    return replace(found, text=f"{found.text[:-1]}; where that fails too, stay with ONNX.")


def _again(use: Use, settings: ConvertSettings, reasons: tuple[Reason, ...]) -> Recommendation:
    found = Recommendation(use, "ort", "", settings, reasons, fits=False)
    options = f" with {found.options}" if found.options else ", with the default settings"
    return replace(found, text=f"Convert its source again{options}.")


def _minimal(case: Case, settings: ConvertSettings, against: tuple[Reason, ...]) -> Recommendation:
    use, document = Use.MINIMAL_BUILD, case.document
    rules = tuple(loaded_by(document))
    if against:
        return _again(use, settings, (*against, *rules))
    versions = document.known.versions
    version = versions.get(document.model.ort.format_version if document.model.ort else None)
    if version is None or versions.newest_release not in version.minimal:
        text = "Upgrade it, or convert its source again: minimal builds of today do not load it."
        return Recommendation(use, "ort", text, settings, rules, fits=False)
    text = "As it is. Its operator config can be made from it."
    return Recommendation(use, "ort", text, settings, rules, converts=False)


def _device(case: Case, use: Use, against: tuple[Reason, ...]) -> Recommendation:
    """Whole nodes are taken, or would be if the source were converted so that they are."""
    found = device(case, use)
    if case.accelerators is None:
        return found
    outlook = best_outlook(case.accelerators, DEVICES[use])
    reasons = (*against, *found.reasons)
    if not against and outlook.as_is.worth != "no":
        text = AS_IT_IS if outlook.as_is.worth == "yes" else "As it is, worth a try."
        estimate = found.reasons[:1]
        return Recommendation(use, "ort", text, found.settings, estimate, converts=False)
    if case.document.portability.verdict == "portable" and not found.fits:
        return replace(found, reasons=reasons, converts=False)
    settings = found.settings
    if not found.fits:
        text = "Its nodes are fused or laid out for a CPU; an accelerator takes whole ones."
        reasons += (Reason(text, Evidence.RULE),)
        settings = replace(settings, styles=(Style.RUNTIME,))
    return _again(use, settings, reasons)
