"""The declared formats against the bindings in the runtime's wheel, and the generated modules."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from ortstudio.format import adapter_tables, checkpoint_tables, ort_tables
from ortstudio.format.fields import Field, Kind, Schema, StructType, TableType
from schema import generate
from tests.unit.format import bindings

SCHEMAS = [ort_tables.SCHEMA, checkpoint_tables.SCHEMA, adapter_tables.SCHEMA]
TABLES = {**ort_tables.SCHEMA.tables, **checkpoint_tables.SCHEMA.tables}
DEPRECATED = {"InferenceSession.session_state", "RuntimeOptimizationRecord.produced_nodes"}
"""The bindings have no accessor for these."""


def camel(name: str) -> str:
    """`since_version` as flatc names its accessor."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def as_accessor(field: Field) -> bindings.Accessor:
    """What the bindings can say of a field: no enum's name, no union's, a tag is a byte."""
    kind = Kind.UINT8 if field.kind is Kind.UNION_TYPE else field.kind
    is_named = Kind.TABLE in (kind, field.element) or Kind.STRUCT in (kind, field.element)
    target = field.target if is_named else ""
    return bindings.Accessor(field.slot, kind, field.element, target, field.default)


def fields_of(schemas: Iterable[Schema]) -> list[Field]:
    return [f for schema in schemas for table in schema.tables.values() for f in table.fields]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_fields_are_where_the_bindings_read_them(table: TableType) -> None:
    declared = {camel(field.name): as_accessor(field) for field in table.fields}
    hidden = {camel(field.name) for field in table.fields if field.path in DEPRECATED}
    expected = bindings.accessors(table.name)
    assert {name: declared[name] for name in declared if name not in hidden} == expected
    assert len(table.fields) == bindings.slot_count(table.name)


def test_no_table_struct_or_enum_of_the_bindings_is_missing() -> None:
    declared = TABLES.keys() | ort_tables.SCHEMA.structs.keys() | ort_tables.SCHEMA.enums.keys()
    assert declared == bindings.modules().keys()


@pytest.mark.parametrize("enum", ort_tables.SCHEMA.enums.values(), ids=ort_tables.SCHEMA.enums)
def test_enums_have_the_members_of_the_bindings(enum: type[IntEnum]) -> None:
    assert {member.name: member.value for member in enum} == bindings.members(enum.__name__)


@pytest.mark.parametrize("struct", ort_tables.SCHEMA.structs.values(), ids=lambda s: s.name)
def test_structs_are_laid_out_as_the_bindings_read_them(struct: StructType) -> None:
    declared = [(camel(member.name), member.offset, member.kind) for member in struct.fields]
    assert declared == list(bindings.struct_members(struct.name))
    assert struct.size == bindings.struct_size(struct.name)
    assert struct.alignment == max(member.kind.width for member in struct.fields)


def test_deprecated_slots_are_declared_with_the_versions_that_wrote_them() -> None:
    deprecated = {field.path: field.until for field in fields_of(SCHEMAS) if field.deprecated}
    assert deprecated == dict.fromkeys(DEPRECATED, 4)


def test_only_deprecated_slots_have_a_last_version() -> None:
    assert all(field.deprecated == (field.until is not None) for field in fields_of(SCHEMAS))


def test_element_types_end_where_the_schema_does() -> None:
    assert [member.value for member in ort_tables.TensorDataType] == list(range(21))


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda s: s.root)
def test_slots_run_on_and_every_target_is_known(schema: Schema) -> None:
    known = [*schema.tables, *schema.structs, *schema.enums]
    for table in schema.tables.values():
        assert [field.slot for field in table.fields] == list(range(len(table.fields)))
        assert {field.table for field in table.fields} == {table.name}
        assert all(field.target in known for field in table.fields if field.target)
        assert all(
            (field.element is None) == (field.kind is not Kind.VECTOR) for field in table.fields
        )
        assert table.doc


def test_a_unions_tags_lead_to_tables() -> None:
    (tags,) = ort_tables.SCHEMA.unions.values()
    assert set(tags) == set(ort_tables.TypeInfoValue) - {ort_tables.TypeInfoValue.NONE}
    assert set(tags.values()) <= ort_tables.SCHEMA.tables.keys()


@pytest.mark.parametrize(
    ("schema", "root"),
    [(ort_tables.SCHEMA, "InferenceSession"), (checkpoint_tables.SCHEMA, "Checkpoint")],
)
def test_identifier_is_the_one_that_the_bindings_test_for(schema: Schema, root: str) -> None:
    assert schema.root == root
    assert schema.identifier == bindings.identifier(root)


def test_a_field_says_its_path() -> None:
    assert ort_tables.Node.inputs.path == "Node.inputs"


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.STRUCT])
def test_a_kind_is_as_wide_for_numpy_as_for_struct(kind: Kind) -> None:
    assert np.dtype(kind.code).itemsize == kind.width


def test_scalars_are_those_kinds_that_lead_nowhere() -> None:
    others = {kind for kind in Kind if not kind.is_scalar}
    assert others == {Kind.STRING, Kind.TABLE, Kind.STRUCT, Kind.UNION, Kind.VECTOR}


def test_the_generated_modules_are_those_of_the_schemas(checkout: Path) -> None:
    command = [sys.executable, "schema/generate.py", "--check"]
    check = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert (check.returncode, check.stderr) == (0, "")


def test_an_outdated_module_is_named_and_then_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in generate.MODULES.values():
        shutil.copy(generate.PACKAGE / f"{module}.py", tmp_path)
    outdated, text = tmp_path / "ort_tables.py", (tmp_path / "ort_tables.py").read_text()
    outdated.write_text(text.replace("default=-1", "default=0"))
    monkeypatch.setattr(generate, "PACKAGE", tmp_path)
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err == (
        "ort_tables.py is out of date: run python schema/generate.py\n"
    )
    assert outdated.read_text() != text
    assert generate.main([]) == 0
    assert outdated.read_text() == text
    assert generate.main(["--check"]) == 0


def test_each_rule_names_tests_that_exist() -> None:
    text = (generate.SCHEMAS / "README.md").read_text(encoding="utf-8")
    rows = [row for row in re.findall(r"^\| .+ \| (`.+) \|$", text, re.MULTILINE) if "::" in row]
    named = set(re.findall(r"`(\w+)::(\w+)`", "".join(rows)))
    files = {"tables": "test_tables", "writers": "test_rules_of_writers"}
    files["runtime"] = "test_rules_of_the_runtime"
    there = {
        (short, function)
        for short, file in files.items()
        for function in re.findall(
            r"^def (test_\w+)", Path(__file__).with_name(f"{file}.py").read_text(), re.MULTILINE
        )
    }
    assert len(rows) > 20
    assert named <= there
