"""Ratings: how much each bot wins against the field, and how sure that is. Pure, and the same on any machine.

Reading order: ``results`` (what the deal sets brought, as exact sums), ``dice`` (the same while it is open
whose declared dice count as luck), ``matrix`` (the algebra),
``variances`` (the noise), ``model`` (ratings and their errors), ``ranks`` (rank intervals), ``sequential``
(is a version better than another?), ``schedule`` (who should play next) and ``published``; ``style`` (how a
bot plays).
"""
