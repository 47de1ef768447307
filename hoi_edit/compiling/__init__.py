"""Machine code ahead of time: what is compiled, in which order, by whom.

In comes what functions are called with (`signatures.json`) and what people do (`rehearsals`), out goes a cache in which
nothing is missing. `runtime` is what every door of the program calls; `warm_up` is the process that compiles beside it.
"""
