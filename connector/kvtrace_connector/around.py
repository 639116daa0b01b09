"""Writes the method that stands around one of the host's, with a hook in it.

Each has code of its own, which the interpreter tunes to what it calls, and takes what the host's
takes by the same names: calls within it then cost half of what the way for any arguments costs.
"""

from collections.abc import Callable
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any

from kvtrace_connector.fuse import After, Hook, finish

_AROUND = """
def method(self, /{parameters}):
    {others}
    half_ = self._kvtrace
    if half_ is None or half_.fuse.blown:
        return stock_(self{arguments})
    fuse_ = half_.fuse
    try:
        bracket_ = hook_(half_, self{arguments})
        outcome_ = over_ if bracket_ is None else next_(bracket_, over_)
    except Exception_ as error_:
        fuse_.blow(error_)
        outcome_ = over_
    if outcome_ is over_:
        return stock_(self{arguments})
    try:
        result_ = stock_(self{arguments})
    except BaseException_ as error_:
        finish_(bracket_, fuse_, outcome_, error=error_)
        raise
    if not fuse_.blown:
        try:
            if outcome_ is not None:
                outcome_.result = result_
            next_(bracket_, None)
        except Exception_ as error_:
            fuse_.blow(error_)
    return result_
"""
"""For a hook that looks before the call, and may want to look after it too."""

_AFTER = """
def method(self, /{parameters}):
    {others}
    try:
        result_ = stock_(self{arguments})
    except BaseException_ as error_:
        half_ = self._kvtrace
        if raised_ is not None and half_ is not None:
            half_.fuse.run(partial_(raised_, half_, self, error_{arguments}))
        raise
    half_ = self._kvtrace
    if half_ is None or half_.fuse.blown:
        return result_
    try:
        hook_(half_, self, result_{arguments})
    except Exception_ as error_:
        half_.fuse.blow(error_)
    return result_
"""
"""For a hook that looks only after the call."""

_ANY = ("*", "**")
"""Takes whatever it is called with."""

_OURS = "_"
"""How names end in what we write, so that the host's own mean what they meant."""


def surrounded(
    hook: Hook | After, stock: Callable[..., Any], takes: tuple[str, ...] | None = None
) -> FunctionType:
    """A method that calls `stock` once, as it was called itself, with the hook around it.

    `takes` names what `stock` takes besides its object, all of it needed; `**` at the end stands
    for any names. None stands for whatever it is called with.
    """
    if takes is None or any(name.endswith(_OURS) for name in takes):
        takes = _ANY
    names: dict[str, Any] = {"stock_": stock, "over_": object(), "next_": next, "finish_": finish}
    names |= {"Exception_": Exception, "BaseException_": BaseException, "partial_": partial}
    if isinstance(hook, After):
        names |= {"hook_": hook.gave, "raised_": hook.raised}
    else:
        names["hook_"] = hook
    if takes != _ANY and takes[-1:] == ("**",):
        names["any_"] = surrounded(hook, stock)
    code = _compiled(_AFTER if isinstance(hook, After) else _AROUND, takes)
    return FunctionType(code.replace(), names, "method")


@cache
def _compiled(template: str, takes: tuple[str, ...]) -> CodeType:
    """The code of a method that takes this."""
    stars = {"*": "*args_", "**": "**more_"}
    written = [stars.get(name, name) for name in takes]
    others = ""
    passed = written
    if takes != _ANY and takes[-1:] == ("**",):
        # Named arguments seldom come, and to pass them on is dear.
        passed = written[:-1]
        others = f"if more_: return any_(self, {', '.join(written)})"
    source = template.format(
        parameters="".join(f", {one}" for one in written),
        arguments="".join(f", {one}" for one in passed),
        others=others,
    )
    whole = compile(source, __file__, "exec")
    return next(one for one in whole.co_consts if isinstance(one, CodeType))
