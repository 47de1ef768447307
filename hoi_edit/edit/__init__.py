"""From constraints to edited scenes: the smallest change of everything that makes them true."""
