"""The scripted engine of a simulated host: it keeps time in the place of a GPU, under the vendor's real server.

This package is copied into the stand-in wheels as ``tensorrt_edgellm_lab``: standard library only, relative imports
only.
"""
