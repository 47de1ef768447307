"""What a finished run passes over: collisions of prescribed flights, penetration after a release, near misses."""
