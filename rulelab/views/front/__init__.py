"""What the page shows while nothing is asked: what this is, four ways to begin, and a search that plays by itself."""
