"""The small local Jacobians that dS/du is made of, by kind of event.

In come packed records of events (`hoi_edit.touches.records`), out come the derivatives of what each event gives by what
went into it; `hoi_edit.linearise` chains them.
"""
