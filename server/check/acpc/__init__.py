"""``pokerd check-bot --acpc``: the same for programs that speak the ACPC protocol."""
