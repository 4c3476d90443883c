"""Public events: ``bus`` distributes them, ``feed`` publishes tables and competitions, ``mqtt`` forwards
them.
"""
