"""Strategies for heads-up limit hold'em: trained, refined on the river, and measured."""
