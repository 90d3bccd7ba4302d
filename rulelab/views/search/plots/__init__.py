"""The live plots of a search, one idea per module: plain Bokeh, fed with lists of rounded numbers.

They stay bare because numbers are streamed into figures that stay: HoloViews makes a figure anew for each state, which
takes some 150 ms instead of some 5, and loading it would add more than half a second to the opening of the page.
`rulelab.plots` draws the same of a finished search.
"""
