"""Tournaments of many people over several tables: registration, the tables, and who moves between them."""
