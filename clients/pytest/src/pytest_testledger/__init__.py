"""Posts the results of pytest to testledger while the tests run."""

__version__ = "0.1.0"
