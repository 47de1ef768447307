"""How far the compiler is, for the line below."""

from hoi_edit.compiling.compile_jobs import CompileProgress


def in_words(at: CompileProgress | None) -> str:
    """Nothing where nothing is compiled."""
    if at is None:
        return ""
    count = f"{at.done} of {at.of}, about {at.seconds_left:.0f} s left"
    if at.drags_wait:
        return f"Compiling for this machine: {count}; drags are slow until then."
    return f"Compiling what is rarer: {count}."
