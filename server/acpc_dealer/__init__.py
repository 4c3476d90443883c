"""The drop-in replacement for the ACPC's ``dealer`` program: one match, one TCP port for each seat."""
