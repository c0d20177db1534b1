"""Measure the speed of the local index, compared with the bare vector products that every search needs."""

import os

# Set this before numpy is loaded. BLAS threads cost more in synchronisation than they save, and would distort the
# reference.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
