"""The live plots of a search, one idea per module: plain Bokeh, fed with lists of rounded numbers."""
