"""The language on the wire: messages, codecs, the sans-I/O session and its errors. Pure: no sockets, no
clock.
"""
