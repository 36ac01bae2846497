"""Write `attribute_defaults.json`: the attributes that have a default value, of every operator.

    python resources/make_attribute_defaults.py [--check]

The file maps domain → operator → since-version → attribute → value. A version stands there only
where its defaults differ from those of the version before. Numbers of type FLOAT are single
precision; text stands for the bytes of its UTF-8 form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import onnx
import onnx.defs
from make_operators import table  # type: ignore[import-not-found]
from onnx import AttributeProto
from onnx.defs import OpSchema
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

TARGET = Path(__file__).with_name("attribute_defaults.json")

Default = int | float | str | list[int] | list[float] | list[str]
Defaults = dict[str, Default]


def value(attribute: AttributeProto) -> Default | None:
    """The value as JSON holds it; None for a type that has no defaults."""
    found = onnx.helper.get_attribute_value(attribute)
    if isinstance(found, bytes):
        return found.decode()
    if isinstance(found, int | float):
        return found
    if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        return list(found)
    if attribute.type == AttributeProto.STRINGS:
        return [text.decode() for text in found]
    return None


def defaults(schema: OpSchema) -> Defaults:
    """The defaults of one version; onnx and onnxruntime spell the attribute differently."""
    found = {}
    for name, attribute in schema.attributes.items():
        stored = getattr(attribute, "default_value", None)
        if stored is None:
            stored = AttributeProto.FromString(attribute._default_value)  # type: ignore[attr-defined]
        default = value(stored) if stored.name else None
        if default is not None:
            found[name] = default
    return dict(sorted(found.items()))


def build() -> dict[str, dict[str, dict[int, Defaults]]]:
    """The file's content, sorted."""
    schemas: list[OpSchema] = [
        *runtime.get_all_operator_schema(),
        *onnx.defs.get_all_schemas_with_history(),
    ]
    found = {(one.domain, one.name, one.since_version): defaults(one) for one in schemas}
    content: dict[str, dict[str, dict[int, Defaults]]] = {}
    for (domain, name, since), row in sorted(found.items(), key=lambda entry: entry[0]):
        versions = content.setdefault(domain, {}).setdefault(name, {})
        if row != next(reversed(versions.values()), {}):
            versions[since] = row
    return {
        domain: {name: versions for name, versions in operators.items() if versions}
        for domain, operators in content.items()
    }


def text() -> str:
    """The file as it is written."""
    domains = ",\n".join(f'"{domain}":{table(operators)}' for domain, operators in build().items())
    return f"{{\n{domains}}}\n"


def main() -> int:
    """Write the file, or with --check say whether it is up to date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    made = text()
    if parser.parse_args().check:
        return int(TARGET.read_text(encoding="utf-8") != made)
    TARGET.write_text(made, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
