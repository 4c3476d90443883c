"""Experiments of the source works, played in one process.

Start with ``template``, a whole study in 51 lines, then ``harness``. The others are one study each; in
each folder ``plan`` comes first.
"""
