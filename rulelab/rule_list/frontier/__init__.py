"""The least errors for each number of rules, certified."""
