"""The rules by which a release loads a file or refuses it, from the file's contents alone.

Each rule looks at one thing and says nothing where nothing is amiss. They were held against what 52
releases said of every file of the corpus: none has a counterexample there, and where a release
gives no way to tell, the rule says `not known`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.releases import Release, Releases
from ortstudio.analysis.compatibility.said import Kind, Said
from ortstudio.analysis.replay_actions import action_of
from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.model.types import DataType, data_type_text

WITHOUT_IDENTIFIER = Release(1, 5, 1)
"""The one release that wrote files without it, and that reads them."""
OPTIMIZES_AT_LOAD = frozenset({5})
"""Minor numbers whose optimizers rewrite an `.ort` at load, and then miss the nodes they took."""
STABLE_HASHES = 4
"""The format version since which a kernel keeps its hash in later releases."""
NARROW_INDICES = Release(1, 9, 0)
SUM_IN_FUSED_CONV = Release(1, 12, 0)
REPLAYS_SINCE, REPLAYS_UNTIL = Release(1, 11, 0), Release(1, 30, 0)
RESOLVER_SINCE = Release(1, 13, 0)

REFUSED_BY_ALL = frozenset(
    {
        "file-too-large",
        "missing-data",
        "nested-too-deep",
        "no-opset-imports",
        "raw-size-mismatch",
        "resolver-missing",
        "resolver-entry-missing",
        "string-count-mismatch",
        "structure-damaged",
        "too-many-tables",
        "value-without-type",
    }
)
"""Codes of findings that every release minds."""
JUDGED_ELSEWHERE = frozenset(
    {
        "element-type-refused",
        "format-newer-than-known",
        "opset-newer-than-known",
        "sparse-index-type",
    }
)
"""Codes of findings about the newest release, for which there is a rule of its own here."""


def check_format(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """The format version, and the identifier that the first release left out."""
    ort = needs.model.ort
    if ort is None:
        return
    version, reads = ort.format_version, releases.reads(release)
    if not reads:
        text, words = f"{release} has no ORT format yet", "Protobuf parsing failed."
        yield Said("no", text, "measured", words, cause="format")
    elif version is None or version < 1:
        text = f"The file's format version is {ort.format_version_text!r}, which no release writes"
        yield Said("not known", text)
    elif version not in reads:
        words = _format_words(ort.format_version_text, release)
        text = _format_text(version, releases, release)
        yield Said("no", text, "measured", words, cause="format")
    elif not ort.has_identifier and release != WITHOUT_IDENTIFIER:
        text = (
            f"The file lacks its identifier: only {WITHOUT_IDENTIFIER} wrote and reads such files"
        )
        words = "ORT model verification failed."
        yield Said("no", text, "measured", words, cause="identifier")


def _format_text(version: int, releases: Releases, release: Release) -> str:
    """Which way out of range it is, and who reads it."""
    able = [other for other in releases.all if version in releases.reads(other)]
    if not able:
        return f"Format version {version} is newer than any release up to {releases.newest} reads"
    later = next((other for other in able if other > release), None)
    if version > max(releases.reads(release)):
        need = f"it needs {later.major}.{later.minor} or later" if later else "no release reads it"
        return f"Format version {version} is too new for {release}: {need}"
    again = f": {later.major}.{later.minor} and later read it again" if later else ""
    return f"Format version {version} is too old for {release}{again}"


def _format_words(version: str, release: Release) -> str:
    """As the releases of its time say it; 1.13 calls every file that it does not read too old."""
    if release < RESOLVER_SINCE:
        return f"The ORT format model version [{version}] is not supported this build {release}"
    words = f"The ORT format model version [{version}] is not supported in this build {release}."
    if release.minor == RESOLVER_SINCE.minor:
        words += " This build doesn't support ORT format models older than version 5."
    return words


def check_soundness(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """Damage: some of it no release loads, of the rest only the newest is known to mind."""
    for finding in needs.findings:
        if finding.code in REFUSED_BY_ALL:
            yield Said("no", finding.message, nodes=finding.nodes, cause="damage")
        elif finding.severity == "error" and finding.code not in JUDGED_ELSEWHERE:
            kind: Kind = "no" if release == releases.newest_shipped else "not known"
            yield Said(kind, finding.message, nodes=finding.nodes, cause="damage")


def check_element_types(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """The types that the release takes as constants, and those whose numbers it knows at all."""
    if not needs.is_ort:
        return
    for kind, name in needs.value_types.items():
        if releases.holds("values", str(kind), release) is False:
            text = f"{release} does not know the element type {data_type_text(kind)} of {name!r}"
            yield _refused_type(text, f"Invalid tensor data type {kind}.", name)
    for kind, name in needs.initializer_types.items():
        if releases.holds("initializers", str(kind), release) is False:
            text = f"{release} does not load constants of type {data_type_text(kind)}: {name!r}"
            words = f"Unsupported tensor data type '<unknown>' for tensor '{name}'."
            yield _refused_type(text, words, name)


def _refused_type(text: str, words: str, name: str) -> Said:
    return Said("no", text, "measured", words, values=(name,), cause="element type")


def check_writer(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """Kernels of releases that list none: known where the writer was no newer.

    Up to 1.12 a file is tied to kernels by hashes, which change without the format's number.
    """
    ort = needs.model.ort
    if releases.asked("kernels", release):
        return
    if ort is None:
        text = f"{release} cannot be asked for the kernels that it has"
        yield Said("not known", f"It knows the model's IR version and opset, but {text}")
        return
    if ort.format_version is None:
        return
    if release.minor in OPTIMIZES_AT_LOAD:
        text = f"{release} optimizes while it loads, and may then miss the nodes that it took"
        yield Said("not known", text)
        return
    is_old = ort.format_version < FIRST_VERSION
    if is_old and release >= RESOLVER_SINCE:
        return
    writers = needs.subject.versions.writers(needs.model)
    hashes_change = ort.format_version < STABLE_HASHES and writers != {release.minor}
    if hashes_change or (writers and max(writers) > release.minor):
        text = (
            f"1.{max(writers)} may have written it, and {release} cannot be asked for its kernels"
        )
        yield Said("not known", text)


def check_ir_version(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """Of an ONNX model; in an `.ort` nobody looks at it."""
    version, highest = needs.model.ir_version, releases.highest(release, "ir")
    if not needs.is_ort and version is not None and version > highest:
        text = f"The model has IR version {version}, and {release} knows up to {highest}"
        words = f"Unsupported model IR version: {version}, max supported IR version: {highest}"
        yield Said("no", text, "measured", words, cause="ir")


def check_sparse(needs: Needs, _releases: Releases, release: Release) -> Iterator[Said]:
    """Before 1.9 indices had to be int64."""
    if release >= NARROW_INDICES:
        return
    for graph in needs.model.graphs:
        for sparse in graph.sparse_initializers:
            if sparse.indices.data_type != DataType.INT64:
                name, words = sparse.values.name, "Indicies expected to be INT64"
                text = f"{release} wants the indices of {name!r} to be int64"
                yield Said("no", text, "measured", words, values=(name,), cause="indices")
                return


def check_records(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """Saved optimizations: replayed at load up to 1.29, and then those that cannot be stop it."""
    ort = needs.model.ort
    if ort is None or not needs.records or release < REPLAYS_SINCE:
        return
    is_old = ort.format_version is not None and ort.format_version < FIRST_VERSION
    if is_old and release >= RESOLVER_SINCE:
        text = f"{release} ignores saved optimizations of format {ort.format_version}"
        yield Said("slower", text)
    elif release >= REPLAYS_UNTIL:
        key = "session.enable_saved_runtime_optimizations"
        yield Said("slower", f"{release} replays saved optimizations only where {key} is 1")
    else:
        yield from _check_replay(needs, releases, release)


def _check_replay(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    for record in needs.records:
        action = action_of(record.optimizer, record.action)
        name = f"{record.optimizer}:{record.action}"
        known = releases.holds("actions", name, release)
        if known is False:
            text = f"{release} does not have the action {record.action} of a saved optimization"
            words = f"Missing action {record.action} for transformer {record.optimizer}"
            yield Said("no", text, "measured", words, cause="saved optimization")
        elif action and action.produces and not (record.produced_hashes or record.produced_op_ids):
            text = (
                f"A saved optimization ({record.action}) does not say what it makes, which stops"
                " the load"
            )
            words = "Not enough produced nodes in the runtime optimization record."
            yield Said("no", text, "rule", words, cause="saved optimization")
        elif known is None:
            text = f"Nobody asked {release} for the action {record.action} of a saved optimization"
            yield Said("not known", text)
    for problem in needs.stopping_problems:
        yield Said("not known", problem)


def check_results(needs: Needs, _releases: Releases, release: Release) -> Iterator[Said]:
    """What loads and computes wrong, and what depends on the machine."""
    for form, node in needs.forms.items():
        if form.op_type == "StringNormalizer" and "locale" in form.attributes:
            text = "StringNormalizer loads only where its locale is installed"
            yield Said("warning", text, nodes=(node,))
        sums = form.op_type == "FusedConv" and form.inputs > 3
        if sums and needs.is_ort and release < SUM_IN_FUSED_CONV:
            text = f"{release} ignores the sum input of FusedConv and computes wrong numbers"
            yield Said("warning", text, nodes=(node,))


def check_minimal(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """What a minimal build refuses beyond a full one. From the runtime's sources, not measured."""
    ort = needs.model.ort
    if ort is None:
        text = "A minimal build reads the ORT format only: convert the model"
        yield Said("no", text, cause="build")
        return
    version = needs.subject.versions.get(ort.format_version)
    if version is None or not releases.reads(release):
        return
    if release.minor > needs.subject.versions.newest_release:
        text = f"Nobody asked which format versions minimal builds of {release} read"
        yield Said("not known", text)
    elif release.minor not in version.minimal:
        text = f"Minimal builds of {release} do not read format version {version.number}"
        newer = sorted(minor for minor in version.minimal if minor > release.minor)
        if release >= RESOLVER_SINCE and version.number < FIRST_VERSION:
            text += ": since 1.13 they need format version 5 or newer"
        elif newer:
            text += f": those since 1.{newer[0]} do"
        yield Said("no", text, cause="build")
