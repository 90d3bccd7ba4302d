"""The live plots of a search, one idea per module: plain Bokeh, fed with lists of rounded numbers.

HoloViews makes a figure anew for each state, which takes some 150 ms instead of some 5; `rulelab.plots` draws the same
of a finished search with it.
"""
