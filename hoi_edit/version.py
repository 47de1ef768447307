"""The program's version, which its files tell."""

__version__ = "0.1.0"
