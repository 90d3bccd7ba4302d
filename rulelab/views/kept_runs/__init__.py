"""Runs that last, on the page: kept when they end, listed in a drawer, opened by a link."""
