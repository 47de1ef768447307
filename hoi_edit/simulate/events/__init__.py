"""What happens to things, and what comes of it: one file a kind, over `base.EventKind`, entered in `tables.EVENTS`."""
