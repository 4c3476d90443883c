"""The adaptive player of Aceituno 2017, and what his conclusions ask for."""
