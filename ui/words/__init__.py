"""What is said about a scene, and what is offered to be done: names, states, problems, reports and refusals.

In: rollouts, documents and reports of the core, with its ids and paths.
Out: sentences in plain English, and records that buttons and menus are made of. No widgets, and nothing else of `ui`.
"""
