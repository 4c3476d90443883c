"""Loki-1 and Loki-2 (Papp 1998, Peña 1999): limit hold'em, and a no-limit adaptation of our own."""
