"""The second pass over a filter: it checks names and types, and returns a function that evaluates one row."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.doubles.azure_search.definition import Definition, Field, read_definition
from tests.doubles.azure_search.errors import bad_filter
from tests.doubles.azure_search.odata_lambdas import check_body
from tests.doubles.azure_search.odata_nodes import (
    Call,
    Compared,
    Constant,
    Joined,
    Negated,
    Node,
    Path,
    Quantified,
)
from tests.doubles.azure_search.odata_syntax import parse
from tests.doubles.azure_search.odata_values import constant_for, readable

Condition = Callable[[Any], bool]
_ORDER = {"gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le}
_MIRRORED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}


def evaluate(filter_text: str, row: Mapping[str, Any], definition: Mapping[str, Any]) -> bool:
    """Return whether a row passes a filter of an index with this definition (as JSON). Raise `Refused` for an invalid
    filter."""
    return compiled(filter_text, read_definition(definition))(row)


def compiled(filter_text: str, definition: Definition) -> Condition:
    return _condition(parse(filter_text), _Rows(definition))


@dataclass(frozen=True)
class _Operand:
    type: str
    get: Callable[[Any], Any]
    """Returns the value in its comparable form: normalised, or a datetime; None for null."""
    field: Field


class _Rows:
    """Scope in which names are fields of a row."""

    def __init__(self, definition: Definition) -> None:
        self._fields = definition.fields

    def field(self, name: str) -> Field:
        if name not in self._fields:
            raise bad_filter(f"Could not find a property named '{name}' on type 'search.document'.")
        found = self._fields[name]
        if not found.filterable:
            raise bad_filter(f"The field '{name}' is not filterable.")
        return found

    def operand(self, name: str) -> _Operand:
        found = self.field(name)
        if found.collection:
            raise bad_filter(f"The field '{name}' is a collection; use any or all.")
        return _Operand(found.type, readable(found, lambda row: row.get(name)), found)


class _Items:
    """Scope inside any and all, where only the variable may be used. It stands for an item."""

    def __init__(self, variable: str, of: Field) -> None:
        self._variable = variable
        self._of = of

    def field(self, name: str) -> Field:
        raise bad_filter(f"'{name}' cannot be used here: only '{self._variable}' can.")

    def operand(self, name: str) -> _Operand:
        if name != self._variable:
            self.field(name)
        return _Operand(self._of.item_type, readable(self._of, lambda item: item), self._of)


_Scope = _Rows | _Items


def _condition(node: Node, scope: _Scope) -> Condition:
    match node:
        case Joined(joiner, parts):
            return _joined(joiner, [_condition(part, scope) for part in parts])
        case Negated(inner):
            negated = _condition(inner, scope)
            return lambda it: not negated(it)
        case Compared():
            return _compared(node, scope)
        case Call(name, arguments):
            return _called(name, arguments, scope)
        case Quantified():
            return _quantified(node, scope)
        case Path(name):
            operand = scope.operand(name)
            if operand.type != "Edm.Boolean":
                raise bad_filter(f"'{name}' is of type {operand.type}; a condition is needed.")
            return lambda it: operand.get(it) is True
        case Constant("word", "true" | "false" as word):
            return lambda _: word == "true"
    raise bad_filter("A constant is no condition.")


def _joined(joiner: str, parts: list[Condition]) -> Condition:
    if joiner == "and":
        return lambda it: all(part(it) for part in parts)
    return lambda it: any(part(it) for part in parts)


def _compared(node: Compared, scope: _Scope) -> Condition:
    left, sign, right = node.left, node.operator, node.right
    if isinstance(left, Constant):
        left, sign, right = right, _MIRRORED.get(sign, sign), left
    if not isinstance(left, Path) or not isinstance(right, Constant):
        raise bad_filter("A comparison needs a field and a constant.")
    operand = scope.operand(left.name)
    value = constant_for(right, operand.type, sign, operand.field)
    get = operand.get
    if sign == "eq":
        return lambda it: bool(get(it) == value)
    if sign == "ne":
        return lambda it: bool(get(it) != value)
    holds = _ORDER[sign]
    return lambda it: (found := get(it)) is not None and bool(holds(found, value))


def _called(name: str, arguments: tuple[Node, ...], scope: _Scope) -> Condition:
    if name != "search.in":
        raise bad_filter(f"The function '{name}' is not known or not supported here.")
    match arguments:
        case (Path(variable), Constant("string", values)):
            delimiters = " ,"
        case (Path(variable), Constant("string", values), Constant("string", delimiters)):
            pass
        case _:
            raise bad_filter("search.in takes a field or variable, a string and, if need be, a string of delimiters.")
    operand = scope.operand(variable)
    if operand.type != "Edm.String":
        raise bad_filter(f"search.in needs a string; '{variable}' is of type {operand.type}.")
    for other in delimiters[1:]:
        values = values.replace(other, delimiters[0])
    parts = values.split(delimiters[0]) if delimiters else [values]
    normalise = operand.field.normalise or str
    wanted = frozenset(normalise(part) for part in parts if part)
    return lambda it: operand.get(it) in wanted


def _quantified(node: Quantified, scope: _Scope) -> Condition:
    collection = scope.field(node.path)
    if not collection.collection:
        raise bad_filter(f"'{node.path}' is not a collection.")
    name = collection.name
    if node.body is None or node.variable is None:
        return lambda row: bool(row.get(name))
    check_body(node.body, node.every, collection.item_type)
    holds = _condition(node.body, _Items(node.variable, collection))
    decide = all if node.every else any
    return lambda row: decide(holds(item) for item in row.get(name) or ())
