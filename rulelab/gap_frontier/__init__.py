"""What accuracy costs in fairness: the least gap at each of many accuracies, of any family of models."""
