"""The Azure template, parsed as Bicep: declarations, references, and the values of resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from lark import Token, Tree
from pycep import BicepParser
from pycep.models import BicepElement

DECLARATIONS = {"param", "var", "resource"}
BUILT_IN = {"az", "sys"}


@cache
def parser() -> BicepParser:
    return BicepParser(cache=False)


def values_of(text: str) -> dict[str, Any]:
    """Return parameters, variables, resources and outputs, each keyed by name."""
    return dict(parser().parse(text=text))


def declared(text: str) -> set[str]:
    return {str(_name(element)) for element in _elements(text) if element.data in DECLARATIONS}


def references(text: str) -> list[str]:
    """Return every name that an expression uses, once for each use."""
    return [name for element in _elements(text) for name in _used_in_element(element)]


def _elements(text: str) -> list[Tree[Token]]:
    return [one for one in parser().lark_parser.parse(text).children if isinstance(one, Tree)]


def _name(element: Tree[Token]) -> Token:
    return next(one for one in element.children if isinstance(one, Token) and one.type == "STRING")


def _used_in_element(element: Tree[Token]) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, Tree) and child.data not in ("data_type", "type_api_pair"):
            yield from _used(child)


def _used(node: Tree[Token] | Token | None) -> Iterator[str]:
    if isinstance(node, Token):
        if node.type == "STRING":
            yield str(node)
        elif node.type == "QUOTED_INTERPOLATION":
            yield from _interpolated(str(node))
    elif isinstance(node, Tree) and str(node.data).endswith("_accessor"):
        yield from _used(node.children[0])
        for member in node.children[1:]:
            yield from _arguments(member)
    elif isinstance(node, Tree) and node.data == "key":
        for part in node.children:
            if isinstance(part, Token) and part.type == "QUOTED_INTERPOLATION":
                yield from _interpolated(str(part))
    elif isinstance(node, Tree):
        for child in node.children:
            yield from _used(child)


def _arguments(member: Tree[Token] | Token | None) -> Iterator[str]:
    """Yield the names in arguments of a method. A member is not a reference."""
    if isinstance(member, Tree):
        if member.data == "function":
            yield from _used(member)
        else:
            for child in member.children:
                yield from _arguments(child)


def _interpolated(text: str) -> Iterator[str]:
    for expression in re.findall(r"\$\{([^}]*)\}", text):
        for element in _elements(f"var interpolated = {expression}\n"):
            yield from _used_in_element(element)
            yield from (str(one) for one in element.children[-1:] if isinstance(one, Token) and one.type == "STRING")


def environment(text: str) -> dict[str, str]:
    """Return the environment variables of the container. An expression appears as `${...}`."""
    (container,) = values_of(text)["resources"]["server"]["config"]["properties"]["template"]["containers"]
    found = {}
    for entry in container["env"]:
        value = entry.get("value", entry.get("secretRef"))
        literal = isinstance(value, str) and not isinstance(value, BicepElement) and "value" in entry
        found[str(entry["name"])] = value if literal else f"${{{expression(value)}}}"
    return found


def filled(variables: dict[str, str], facts: dict[str, str]) -> dict[str, str]:
    """Replace expressions with `facts`. Raise KeyError for an expression without a value."""
    return {name: re.sub(r"\$\{([^}]*)\}", lambda found: facts[found[1]], value) for name, value in variables.items()}


def expression(value: Any) -> str:
    """Return an expression as written: a name, its members, or a call with one argument."""
    if isinstance(value, str):
        return str(value)
    if "function" in value:
        ((argument),) = value["function"]["parameters"].values()
        return f"{value['function']['type']}({expression(argument)})"
    operands = value["operator"]["operands"]
    return f"{expression(operands['operand_1'])}.{expression(operands['operand_2'])}"
