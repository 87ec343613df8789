"""Putting Coeditor into agents' and editors' configuration, and taking it out again.

This package never overwrites what it did not write, and never touches a file that it was not asked about.
"""
