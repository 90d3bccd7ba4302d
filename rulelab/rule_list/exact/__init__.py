"""The exact search for the best rule list: best first, over sets of uncaptured patterns."""
