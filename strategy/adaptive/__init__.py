"""The adaptive player of Aceituno 2017, and the improvements that its conclusions suggest.

Reading order: ``value`` and ``decision``; ``bot``; ``learning``; ``profile`` and ``second``.
"""
