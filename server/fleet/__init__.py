"""One house of many machines: a coordinator, nodes that host the tables, and PostgreSQL between them."""
