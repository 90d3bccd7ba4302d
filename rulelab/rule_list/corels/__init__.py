"""CORELS as its papers describe it, over prefixes, every bound a switch."""
