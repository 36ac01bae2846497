"""Whether code in a language has syntax errors, by the grammars that editors use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_kotlin
import tree_sitter_rust
import tree_sitter_swift
from tree_sitter import Language, Node, Parser

_GRAMMARS = {
    "cpp": tree_sitter_cpp.language,
    "csharp": tree_sitter_c_sharp.language,
    "java": tree_sitter_java.language,
    "javascript": tree_sitter_javascript.language,
    "javascript-web": tree_sitter_javascript.language,
    "kotlin": tree_sitter_kotlin.language,
    "rust": tree_sitter_rust.language,
    "swift": tree_sitter_swift.language,
}


def syntax_errors(lang: str, code: str) -> list[str]:
    """The lines that are not what the grammar allows."""
    if lang == "python":
        ast.parse(code)
        return []
    root = _parser(lang).parse(code.encode()).root_node
    lines = code.splitlines()
    return [lines[node.start_point.row] for node in _broken(root)]


@cache
def _parser(lang: str) -> Parser:
    return Parser(Language(_GRAMMARS[lang]()))


def _broken(root: Node) -> Iterator[Node]:
    return (node for node in _walk(root) if node.is_error or node.is_missing)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)
