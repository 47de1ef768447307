"""How machine code is made of a function: what Python calls is optimised, once, with all that it calls put into it.

Numba would optimise every function by itself and make machine code of it, whoever calls it: a third of the work, and
nobody ever runs that. Here a function that only others call is handed on to them as it was lowered, and without what it
calls: that is put together once, for the function that Python calls, instead of anew on every level. And loops over
three axes gain nothing from vectors or from a third level of optimisation.

Half of the rest is numba finding out, for every `+`, which of the types that it knows it is meant for: anew each time,
though the answer is always the same. Here it is remembered (`call_types_remembered`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering
from numba.core.types.functions import BaseFunction

LEVEL = 2  # of optimisation: at 0 a step takes nine times as long, at 1 a search an eighth longer; 3 gains nothing
ENVIRONMENT = "_ZN08NumbaEnv"  # how numba begins the names of what machine code knows of its function


class EntryLibrary(JITCodeLibrary):
    """The code of a function that Python calls."""

    def finalize(self) -> None:
        self._linking_libraries = list(dict.fromkeys(_called_by(self)))
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        """All at once, when everything is together."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        options = {"opt": LEVEL, "loop_vectorize": False, "slp_vectorize": False}
        for pass_options in ({"cost": "cheap", **options, "opt": 0}, options):
            passes, builder = self._codegen._module_pass_manager(**pass_options)
            passes.run(self._final_module, builder)


class InnerLibrary(EntryLibrary):
    """The code of a function that is put into that of others, alone."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _called_by(library: JITCodeLibrary) -> Iterator[JITCodeLibrary]:
    """All that is to be put together with a library: what it calls, and what inner functions among that call."""
    for called in library._linking_libraries:
        yield called
        if isinstance(called, InnerLibrary):
            yield from _called_by(called)


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(NativeLowering):
    _name = "entry_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        super().run_pass(state)
        # Those of inner functions are in machine code for the first time here.
        for variable in state.library._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT) and (known := lookup_environment(variable.name)) is not None:
                state.library.codegen.set_env(variable.name, known)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, name = state["cr"], state.func_id.func_qualname.split(".")[-1]
        # Stands for the function where others look it up; Python never calls it.
        stands_for = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (state.library,))
        state.targetctx.insert_user_function(stands_for, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=stands_for)
        return True


@contextmanager
def call_types_remembered() -> Iterator[None]:
    """What a function of numba's own returns for kinds of arguments is looked for once, in functions that are all
    compiled in the same way."""
    look: Any = BaseFunction.get_call_type

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        key = (context, function, len(function.templates), tuple(args), tuple(kws.items()))
        if key not in _call_types:
            _call_types[key] = look(function, context, args, kws)
        return _call_types[key]

    BaseFunction.get_call_type = get_call_type  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        BaseFunction.get_call_type = look  # type: ignore[method-assign]


_call_types: dict[Any, Any] = {}


def _with(lowering: type[NativeLowering]) -> type[CompilerBase]:
    """Numba's own way of compiling, with another last step."""

    class Compiler(CompilerBase):
        def compile_extra(self, func: Any) -> Any:
            with call_types_remembered():
                return super().compile_extra(func)

        def define_pipelines(self) -> list[Any]:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.passes = [(lowering if step is NativeLowering else step, why) for step, why in passes.passes]
            passes.finalize()
            return [passes]

    return Compiler


EntryCompiler, InnerCompiler = _with(EntryLowering), _with(InnerLowering)
