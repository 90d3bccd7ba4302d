from rulelab.views.page import create

create().servable()
