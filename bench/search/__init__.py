"""How fast the local index answers, beside the bare products that no search can do without."""

import os

# Before numpy is loaded: threads of BLAS cost more in hand-overs than they save, and would blur the reference.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
