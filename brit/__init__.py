"""BRIT: ask documents that mix text and pictures, and see how the answer was found."""

import os

# Numerical libraries read this when they are loaded: threads that wait must sleep. Spinning ones
# made a picture cost 4–13 s instead of 0.3–0.9 s while a second process was at work (measured).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
