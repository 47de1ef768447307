"""Where two things meet: one search a file, entered in `tables.MEETINGS`. In: all cursors with the spans that they have
so far. Out: the earliest meeting before a time, with the events that both chains go on from."""
