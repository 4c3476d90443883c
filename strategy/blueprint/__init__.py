"""Strategies of heads-up limit hold'em: trained, refined at the end of a hand, and measured."""
