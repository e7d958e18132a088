"""Arithmetic over named figures: evaluated and spelt out, so that no result is typed by hand."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_WORD = re.compile(r"[A-Za-z_]\w*")


class ArithmeticFault(ValueError):
    """An expression is not arithmetic, or a name in it has no figure."""


def evaluate(expression: str, names: Mapping[str, float]) -> float:
    """Value of an expression of numbers, names, ``+ - * / **`` and brackets.

    Parameters
    ----------
    expression
        As ``chunks * mean_tokens / pages``.
    names
        Figures by name.

    Raises
    ------
    ArithmeticFault
        If it holds anything else, a name without a figure, or a division by zero.
    """
    try:
        return _value(ast.parse(expression, mode="eval").body, names)
    except SyntaxError as error:
        raise ArithmeticFault(f"{expression}: not arithmetic") from error
    except KeyError as error:
        raise ArithmeticFault(f"{expression}: {error.args[0]} has no figure") from error
    except ZeroDivisionError as error:
        raise ArithmeticFault(f"{expression}: divides by zero") from error


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.Name(id=name):
            return float(names[name])
        case ast.Constant(value=float() | int() as value) if not isinstance(value, bool):
            return float(value)
    raise ArithmeticFault(f"{ast.unparse(node)}: numbers, names, + - * / ** and brackets are wanted")


def spelt(expression: str, names: Mapping[str, float]) -> str:
    """The expression with its figures in place of names: ``20,836 x 647 / 3,500``."""
    told = _WORD.sub(lambda found: number(names[found[0]]), expression)
    return told.replace(" ** ", "^").replace("*", "x")


def number(value: float, digits: int | None = None) -> str:
    """A number for people: ``20,836``, ``0.15``; with ``digits`` that many decimals; ``-`` for NaN."""
    if math.isnan(value):
        return "-"
    if digits is None:
        return f"{value:,.0f}" if value == int(value) else f"{value:,}"
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # + 0.0: no minus before a zero
