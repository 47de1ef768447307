"""What a thing does between two events: one file a kind, over `base.SpanKind`, entered in `tables.SPANS`."""
