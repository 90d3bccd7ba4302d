"""From a table to a problem: columns, conditions, antecedents, weights, and the rates of groups."""
