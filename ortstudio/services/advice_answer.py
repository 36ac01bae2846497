"""The answer of `advise` in JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.accelerators import Estimate, NotTaken, Outlook
from ortstudio.analysis.nodes import NodeRef
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.advice import Advice
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.effects import Effect
from ortstudio.services.reasons import Reason
from ortstudio.services.trials import Choice
from ortstudio.services.uses import Recommendation

Json = dict[str, object]

SCHEMA = "ortstudio/advise@1"


def to_json(advice: Advice) -> Json:
    """The object of the command line's contract."""
    document, found = advice.document, advice.accelerators
    return {
        "schema": SCHEMA,
        "file": {
            "path": str(document.path),
            "size_bytes": document.model.source.size,
            "kind": document.model.kind.value,
        },
        "ship": advice.answer.ship,
        "answer": advice.answer.text,
        "reasons": _reasons(advice.answer.reasons),
        "uses": [_use(use) for use in advice.uses],
        "looked_at": None if found is None else found.basis,
        "accelerators": [] if found is None else [_outlook(o, found) for o in found.outlooks],
        "effects": [_effect(effect) for effect in advice.effects.values()],
        "effects_skipped": advice.untried or None,
        "error": None if advice.case.failure is None else advice.case.failure.to_json(),
    }


def _reasons(reasons: Sequence[Reason]) -> list[Json]:
    return [
        {"text": row.text, "evidence": row.evidence.value, "stance": row.stance.value}
        for row in reasons
    ]


def _use(found: Recommendation) -> Json:
    return {
        "use": found.use.key,
        "ship": found.ship,
        "fits": found.fits,
        "converts": found.converts,
        "text": found.text,
        "options": found.options,
        "settings": _settings(found.settings),
        "reasons": _reasons(found.reasons),
    }


def _settings(settings: ConvertSettings) -> Json:
    return {
        "level": settings.level.value,
        "styles": [style.value for style in settings.styles],
        "target": None if settings.target is None else settings.target.value,
        "fixed_dims": dict(settings.fixed_dims),
        "type_reduction": settings.type_reduction,
    }


def _outlook(outlook: Outlook, found: Accelerators) -> Json:
    fixed = outlook.if_fixed
    return {
        "accelerator": outlook.as_is.accelerator.key,
        "evidence": "estimate",
        "basis": outlook.as_is.basis,
        "text": outlook.text,
        **_estimate(outlook.as_is, found),
        "if_fixed": None if fixed is None else _estimate(fixed, found),
    }


def _estimate(estimate: Estimate, found: Accelerators) -> Json:
    return {
        "worth": estimate.worth,
        "nodes": estimate.nodes,
        "taken": estimate.taken,
        "pieces": [_refs(piece) for piece in estimate.pieces],
        "not_taken": [_not_taken(row, found) for row in estimate.not_taken],
        "caveats": list(estimate.caveats),
    }


def _not_taken(row: NotTaken, found: Accelerators) -> Json:
    return {
        **_ref(row.node),
        "op": row.op,
        "cause": row.cause.value,
        "why": row.why,
        "from": _refs(found.in_file(row.node)),
    }


def _refs(refs: Sequence[NodeRef]) -> list[Json]:
    return [_ref(ref) for ref in refs]


def _ref(ref: NodeRef) -> Json:
    return {"graph": ref.graph, "index": ref.index}


def _effect(effect: Effect) -> Json:
    return {
        "choice": _choice(effect.choice),
        "name": effect.choice.name,
        "against": None if effect.against is None else _choice(effect.against),
        "text": effect.text,
        "steps": [{"kind": s.kind, "text": s.text, "times": s.times} for s in effect.steps],
        "nodes": effect.nodes,
        "operators": effect.operators,
        "size_bytes": effect.size_bytes,
        "portability": effect.verdict,
        "saved_optimizations": effect.saved,
        "not_replayable": effect.unreplayable,
        "same_as": None if effect.same_as is None else _choice(effect.same_as),
        "error": None if effect.error is None else effect.error.to_json(),
    }


def _choice(choice: Choice) -> Json:
    return {
        "level": choice.level.value,
        "style": choice.style.value,
        "target": None if choice.target is None else choice.target.value,
    }
