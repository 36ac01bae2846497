"""The changes that `edit` is asked for, as edits of a model in ORT format."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.format.ort_tables import Model as ModelTable
from ortstudio.model.model import Model
from ortstudio.services import ort_edits
from ortstudio.services.edit_changes import Changes
from ortstudio.services.ort_rename import rename_values
from ortstudio.services.ort_write import Edit

_TEXTS = {
    "doc_string": ModelTable.doc_string,
    "producer_name": ModelTable.producer_name,
    "producer_version": ModelTable.producer_version,
    "domain": ModelTable.domain,
}


def changing(changes: Changes, model: Model) -> Iterator[Edit]:
    """One edit after the other. Doc strings are set after all others are gone."""
    if changes.renamed:
        encoded = ort_edits.encoded
        yield rename_values({encoded(old): encoded(new) for old, new in changes.renamed.items()})
    if changes.sizes:
        yield ort_edits.fix_sizes(changes.sizes)
    if changes.metadata or changes.removed_metadata:
        yield ort_edits.set_metadata(changes.metadata, changes.removed_metadata)
    if changes.strip_doc_strings:
        yield ort_edits.strip_doc_strings
    if changes.strip_names:
        yield ort_edits.strip_node_names
    for name, text in changes.texts.items():
        yield ort_edits.set_text(_TEXTS[name], text or None)
    if changes.graph_doc_string is not None:
        yield ort_edits.set_text(ModelTable.graph_doc_string, changes.graph_doc_string or None)
    if changes.model_version is not None:
        yield ort_edits.set_number(ModelTable.model_version, changes.model_version)
    if changes.drop_optimizations:
        yield ort_edits.drop_optimizations(model)
