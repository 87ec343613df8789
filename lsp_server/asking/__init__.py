"""Asking the person where only a person can decide. This package never decides by itself."""
