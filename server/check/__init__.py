"""What a bot's author runs first: a scripted conversation with his program, and what it does wrong in plain
words.

The scripts and the judges are pure; a stage plays a script with a real process against the real rules.
"""
