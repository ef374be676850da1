"""The pages of rules on calls of agents, and of how their questions were decided (`insight_pages`).

`rule_list_pages` has the routes, `typed_rules` reads the form of a new rule, and `rule_effects` shows on which of the
newest calls a rule would have had an effect: one that only reports, and one that is tried.
"""
