"""Game definitions (``*.game``) and competitions (``*.toml``) that come with pokerd: data, no code.

``dealer.rules.games`` finds the definitions by name. This file makes a package of the folder, so that wheels
carry it.
"""
