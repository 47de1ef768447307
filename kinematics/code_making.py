"""How machine code is made of a function: what Python calls is optimised, once, with all that it calls put into it.

Numba would optimise every function by itself and make machine code of it, whoever calls it: a third of the work, and
nobody ever runs that. Here a function that only others call is handed on to them as it was lowered, and without what it
calls: that is put together once, for the function that Python calls, instead of anew on every level. And loops over
three axes gain nothing from vectors or from a third level of optimisation.

What others call is made small once, before it is copied into each of them (`SMALLER`); and it does not count references
where it only looks into arrays that its caller holds (`_borrows`), which is most of what there was to be made small.

Half of the rest is numba finding out, for every `+`, which of the types that it knows it is meant for: anew each time,
though the answer is always the same. Here it is remembered (`call_types_remembered`). And a slice that something of
another shape is put into is refused in one sentence (`_refuse_shapes`): numba's, which tells both shapes, would have
half of what it knows of strings compiled for that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import create_new_module_pass_manager
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering
from numba.core.types.functions import BaseFunction
from numba.extending import overload
from numba.np import arrayobj

LEVEL = 2  # of optimisation: at 0 a step takes nine times as long, at 1 a search an eighth longer; 3 gains nothing
SMALLER = ("simplify_cfg", "sroa", "instruction_combine", "simplify_cfg")  # passes of LLVM, for what others call
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
        builder, passes = self._codegen._pass_builder(opt=1), create_new_module_pass_manager()
        for name in SMALLER:
            getattr(passes, f"add_{name}_pass")()
        passes.run(self._final_module, builder)
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
        if _borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            vars(state.targetctx).pop("nrt", None)  # the one of before, which counts
        super().run_pass(state)
        lowered, name = state["cr"], state.func_id.func_qualname.split(".")[-1]
        # Stands for the function where others look it up; Python never calls it.
        stands_for = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (state.library,))
        state.targetctx.insert_user_function(stands_for, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=stands_for)
        return True


VIEWS = ("getattr", "getitem", "static_getitem", "build_tuple", "exhaust_iter", "cast", "undef")


def _borrows(state: Any) -> bool:
    """Whether a function makes, keeps and hands back no array, but looks into those that its caller holds meanwhile."""
    if state.func_id.is_generator or _counts(state, state.return_type):
        return False
    steps = (step for block in state.func_ir.blocks.values() for step in block.body)
    return all(_only_looks(state, step) for step in steps)


def _counts(state: Any, kind: Any) -> bool:
    """Whether numba counts references to a value of that type, or to something in it."""
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


def _only_looks(state: Any, step: Any) -> bool:
    kinds = state.typemap
    if isinstance(step, ir.Assign):
        return not _counts(state, kinds[step.target.name]) or _is_view(state, step.value)
    if isinstance(step, ir.SetItem | ir.StaticSetItem):  # an array that is put into another may be copied before
        return not _counts(state, kinds[step.value.name])
    return isinstance(step, ir.Terminator | ir.Del | ir.StaticRaise)


def _is_view(state: Any, value: Any) -> bool:
    kinds = state.typemap
    if not isinstance(value, ir.Expr):
        return isinstance(value, ir.Var | ir.Arg | ir.Global | ir.FreeVar | ir.Const)
    if value.op == "call":
        return isinstance(kinds[value.func.name], types.NamedTupleClass)
    if value.op == "getitem" and _counts(state, kinds[value.index.name]):
        return False  # what an array picks out is a copy
    return value.op in VIEWS


def _refuse_shapes(src_shapes: Any, index_shape: Any) -> None:
    """Stands for numba's own, of the same name and arguments, while our functions are compiled."""
    raise NotImplementedError


@overload(_refuse_shapes)
def _refusing_shapes(src_shapes: Any, index_shape: Any) -> Any:
    del src_shapes, index_shape

    def refuse(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return refuse


@contextmanager
def _shapes_refused_in_one_sentence() -> Iterator[None]:
    name = "raise_with_shape_context"
    numbas = getattr(arrayobj, name, None)
    if numbas is None:  # a version of numba that does it in another way
        yield
        return
    setattr(arrayobj, name, _refuse_shapes)
    try:
        yield
    finally:
        setattr(arrayobj, name, numbas)


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
            with call_types_remembered(), _shapes_refused_in_one_sentence():
                return super().compile_extra(func)

        def define_pipelines(self) -> list[Any]:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.passes = [(lowering if step is NativeLowering else step, why) for step, why in passes.passes]
            passes.finalize()
            return [passes]

    return Compiler


EntryCompiler, InnerCompiler = _with(EntryLowering), _with(InnerLowering)
