"""How many rows may change before another rule list is better than the optimal one."""
