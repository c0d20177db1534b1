"""Measure the speed of the local index, compared with the bare products that every search needs."""

import os

# Before numpy is loaded: BLAS threads cost more in synchronisation than they save, and would blur the reference.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
