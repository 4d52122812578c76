"""Lets two names change places, all the time, until it is killed: swapper.py ONE OTHER. Linux only."""

import ctypes
import itertools
import os
import random
import sys
import time

AT_CWD, EXCHANGE = -100, 2
renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
one, other = map(os.fsencode, sys.argv[1:])
rng = random.Random(1)
for turn in itertools.count():
    if renameat2(AT_CWD, one, AT_CWD, other, EXCHANGE):
        sys.exit(os.strerror(ctypes.get_errno()))
    if turn == 0:
        print("swapping", flush=True)
    time.sleep(rng.random() / 1000)
