"""Many cases of one text or one rule as one test: whatever is wrong is listed at once, as a fault of an input is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence

import pytest


def each(names: str | Sequence[str], values: Iterable) -> Callable[[Callable], Callable]:
    """Used as ``pytest.mark.parametrize``, for cases of a few milliseconds: a test of its own costs more than the case.

    Every case is tried, and those that fail are named with what they say.
    """
    named = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    cases = [tuple(value) if len(named) > 1 else (value,) for value in values]
    if not cases:
        raise ValueError("no cases: a test that cannot fail")

    def of_every_case(test: Callable) -> Callable:
        @functools.wraps(test)
        def every_case(**others: object) -> None:
            wrong, said = [], []
            for case in cases:
                try:
                    test(**dict(zip(named, case, strict=True)), **others)
                except pytest.skip.Exception as skipped:
                    said.append(str(skipped))
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"{', '.join(map(repr, case))}: {type(error).__name__}: {error}")
            assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n".join(wrong)
            if said:  # the others were tried
                pytest.skip("; ".join(dict.fromkeys(said)))

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in named]
        every_case.__signature__ = signature.replace(parameters=kept)
        return every_case

    return of_every_case


def quick(n: int, values: Iterable, cost: str) -> list:
    """Values for ``pytest.mark.parametrize`` of which the quick run has the first ``n``: each of the others costs."""
    first, others = (list(values)[at] for at in (slice(n), slice(n, None)))
    mark = pytest.mark.thorough(cost)
    return [*first, *(pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=mark) for one in others)]
