"""The least gap between groups of any rule set of some accuracy and complexity."""
