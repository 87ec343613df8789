"""Emacs as its people have it, with eglot and the README's recipe."""
