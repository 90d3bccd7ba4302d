"""The alternatives to the best model: found, seen together, and edited by hand, also as a game."""
