"""What the commands of the server do: ``serve``, ``compete``, ``node``, ``check_bot``, ``convert``."""
