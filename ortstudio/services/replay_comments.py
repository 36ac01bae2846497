"""What a minimal build needs beyond upstream's config, where saved optimizations are replayed.

That config has the operators of the graph as it is saved, and with all optimizations applied. What
replay makes stays as it is below level layout, and is laid out anew by the applied one.
"""

from __future__ import annotations

from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_operators import RequiredOperators, merged, name_of
from ortstudio.services.operator_config import config_text

TEXT = "Loaded below level layout with its saved optimizations enabled, it also needs:"


def replay_comments(listed: RequiredOperators, replayed: RequiredOperators) -> list[str]:
    """Comments for the head of a config that has the `listed` operators; none where it has all."""
    both = merged((listed, replayed))
    more = [operator for operator in both.operators if _is_more(operator, listed, both)]
    if not more:
        return []
    names = {name_of(operator) for operator in more}
    types = {name: both.types.get(name) for name in names}
    text = config_text(RequiredOperators.of(more, types))
    return [TEXT, *(line for line in text.splitlines() if not line.startswith("#"))]


def _is_more(operator: Operator, listed: RequiredOperators, both: RequiredOperators) -> bool:
    name = name_of(operator)
    return operator not in listed.operators or listed.types.get(name) != both.types.get(name)
