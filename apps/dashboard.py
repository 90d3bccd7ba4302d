import rulelab as rl

rl.views.page().servable()
