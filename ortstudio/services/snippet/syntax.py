"""What the code of every language has, in the spelling of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ortstudio.analysis.words import listed
from ortstudio.services.snippet import text
from ortstudio.services.snippet.code import Snippet, joined, notes
from ortstudio.services.snippet.loading import Entry, Loading
from ortstudio.services.snippet.model import Port, SnippetModel, custom_op_names


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes the parts that all have in common.

    `title` is its name in notes, `literal` quotes a text. The other fields are statements: `entry`
    sets `{key}` to `{value}`, `size` declares `{name}` as `{value}`, `library` declares the path
    `{file}`, `disable` has nothing optimized at load; one that a language lacks is empty.
    """

    lang: str
    title: str
    literal: Callable[[str], str]
    entry: str = ""
    disable: str = ""
    size: str = ""
    library: str = ""
    mark: str = "//"

    def comment(self, words: str, indent: str = "") -> list[str]:
        """The words as comment lines."""
        return text.comment(words, self.mark, indent)

    def opening(self, model: SnippetModel, where: str = "") -> list[str]:
        """What the code does, with `where` before the period."""
        return self.comment(f"Runs {model.name} with ONNX Runtime{where}.")

    def sizes(self, model: SnippetModel, names: Mapping[str, str]) -> list[str]:
        """A constant for each open size, `names` by symbol."""
        if not names:
            return []
        return [
            *self.comment("Sizes that the model leaves open: fill in yours."),
            *(self.size.format(name=name, value=model.sizes[of]) for of, name in names.items()),
        ]

    def operators(self, model: SnippetModel, file: str) -> list[str]:
        """A constant for the library that brings operators."""
        named = listed(custom_op_names(model))
        declared = self.library.format(file=self.literal(file))
        return [*self.comment(f"The library that has {named}."), declared]

    def level(self, loading: Loading, indent: str = "") -> list[str]:
        """The optimization level, where it is not that of everybody."""
        if loading.optimized:
            return []
        why = "Run the graph as it is stored: nothing is optimized at load."
        return [*self.comment(why, indent), indent + self.disable]

    def entries(self, found: Iterable[Entry], indent: str = "") -> list[str]:
        """Session configuration entries; what is to be chosen stands there as a comment."""
        lines = []
        for entry in found:
            lines += self.comment(entry.why, indent)
            key, value = self.literal(entry.key), self.literal(entry.value)
            mark = "" if entry.active else f"{self.mark} "
            lines.append(f"{indent}{mark}{self.entry.format(key=key, value=value)}")
        return lines

    def fed(
        self,
        values: Mapping[Port, str],
        line: Callable[[Port, str], Sequence[str]],
        indent: str = "",
    ) -> list[str]:
        """A `line` for each input; where there is no value, a sentence in its place."""
        lines: list[str] = []
        for port, value in values.items():
            if value:
                lines += [indent + one for one in line(port, value)]
            else:
                lines += self.comment(f"{port.name} is {port.type}: {_NO_WAY} feed it.", indent)
        return lines

    def unread(self, ports: Iterable[Port]) -> list[str]:
        """A sentence for each output that the language cannot read."""
        return [
            line
            for port in ports
            for line in self.comment(f"{port.name} is {port.type}: {_NO_WAY} read it.")
        ]

    def snippet(
        self,
        model: SnippetModel,
        loading: Loading,
        parts: Iterable[Sequence[str]],
        *,
        values: Mapping[Port, str],
        unread: Sequence[Port],
        requires: Sequence[str],
        more: Sequence[str] = (),
    ) -> Snippet:
        """The parts as code, with what holds in every language and `more` said of it."""
        unfed = [port for port, value in values.items() if not value]
        said = (*notes(model, loading, self.title, unfed, unread), *more)
        return Snippet(self.lang, joined(parts), said, tuple(requires))


_NO_WAY = "there is no way to"
