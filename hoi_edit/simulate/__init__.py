"""From controls to the ordered events of every thing, and how each depends on what was before it.

In: a `Context` (the packed scene, its controls, the families of spans and events). Out: chains of spans and events.
That is discrete, exact and not differentiated; kinds of spans and events carry covectors back through what was found.

Things are independent until they meet, so all of them are advanced at once, one event a round, against the characters
and fixtures. What things do to each other is found afterwards (`tables.MEETINGS`): the earliest meeting cuts both
chains there, and they go on from it.

With *nodes*, the flights after intended contacts start from stored states instead of what the event before gave. The
stretches between intended contacts are then independent too, and all of them are searched in the first rounds. Where
the nodes are continuous (`Rollout.continuity`), nothing else changes.

With a *guide*, balls are led to their intended contacts: these happen at the given times on the given surfaces, however
far away that is, and nothing is searched for on the way. So an edit that is not done yet is a smooth function of its
variables. Where thing and surface really meet at those times, and nothing is in between, it is the simulation.

What lies outside of a stretch of time to which an edit is confined is taken over from the run before (`Past`): then the
cost of a step does not depend on the length of the clip.
"""
