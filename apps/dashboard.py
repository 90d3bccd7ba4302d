from rulelab.views.pages.page import create

create().servable()
