"""The same for programs that speak the ACPC protocol."""
