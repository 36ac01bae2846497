"""`python plain_timer.py MODEL RUNS`: seconds of a load, and of a run in the middle of RUNS."""

import statistics
import sys
import time

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
start = time.perf_counter()
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
load = time.perf_counter() - start
(taken,) = session.get_inputs()
shape = [size if isinstance(size, int) else 1 for size in taken.shape]
feed = {taken.name: np.random.default_rng(0).random(shape, np.float32)}
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    session.run(None, feed)
    times.append(time.perf_counter() - start)
print(load, statistics.median(times))
