"""Rule lists that must use antecedents or columns, begin with a rule, or use columns a few times at most."""
