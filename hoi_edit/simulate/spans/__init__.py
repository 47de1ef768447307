"""What a thing does between two events: one file a kind."""
