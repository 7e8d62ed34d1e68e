#!/usr/bin/env python3
"""Compares runs of //tests/peers:srtp_peers_benchmark with the bars that our SRTP has to clear.

Each argument is the JSON of one run (--benchmark_out=FILE --benchmark_out_format=json). A row's time is the median of its
repetitions. Prints one line per bar with its ratio in each run; exits 1 when any bar is missed in any run, 2 when a run
lacks a row or is not to be trusted (another CPU, a debug build).

CPU time is compared unless --real is given: it leaves out what other processes took from the core.
"""

import argparse
import collections
import json
import statistics
import sys

# Row of ours, what it is compared with, and how many times that it may take at most. A peer without a "/" stands for the row
# of that implementation with the same operation, profile and size.
BARS = (
    ("sluice_mb/protect_batch32/GCM128/1000", "raw_ipsec_mb", 1.50),
    ("sluice_mb/protect_batch32/GCM128/1000", "libsrtp", 0.36),
    ("sluice_mb/protect_batch32/CM128_80/1000", "raw_ipsec_mb", 1.25),
    ("sluice_mb/protect_batch32/CM128_80/1000", "libsrtp", 0.29),
    ("sluice_mb/protect_batch4/CM128_80/1000", "libsrtp", 0.60),
    ("sluice_mb/protect/GCM128/100", "libsrtp", 0.50),
    ("sluice_mb/protect/CM128_80/1000", "libsrtp", 1.00),
    ("sluice_boringssl/protect/GCM128/1000", "raw_boringssl", 1.10),
    ("sluice_boringssl/protect/GCM128/1000", "libsrtp", 1.02),
    ("sluice_boringssl/protect/CM128_80/1000", "raw_boringssl", 1.08),
    ("sluice_mb/unprotect_batch32/GCM128/1000", "sluice_mb/protect_batch32/GCM128/1000", 1.15),
    ("sluice_mb/unprotect_batch32/CM128_80/1000", "sluice_mb/protect_batch32/CM128_80/1000", 1.15),
    ("sluice_mb/unprotect/GCM128/100", "sluice_mb/protect/GCM128/100", 1.15),
    ("sluice_mb/unprotect/CM128_80/1000", "sluice_mb/protect/CM128_80/1000", 1.15),
    ("sluice_boringssl/unprotect/GCM128/1000", "sluice_boringssl/protect/GCM128/1000", 1.15),
    ("sluice_boringssl/unprotect/CM128_80/1000", "sluice_boringssl/protect/CM128_80/1000", 1.15),
)
# There is no unprotect_batch4: what it would be compared with is between the two others.

OURS = "sluice_"


class BadRun(Exception):
    """A file that says nothing about the bars."""


class Run:
    """The rows of one run of the benchmark."""

    def __init__(self, text, clock):
        try:
            content = json.loads(text)
            times = collections.defaultdict(list)
            self.allocations = collections.defaultdict(float)
            for entry in content["benchmarks"]:
                # Aggregates are of the repetitions that are there as well.
                if entry.get("run_type", "iteration") != "iteration":
                    continue
                if entry["time_unit"] != "ns":
                    raise BadRun(f"{entry['run_name']} is in {entry['time_unit']}, not ns")
                name = entry["run_name"]
                times[name].append(entry[clock])
                self.allocations[name] = max(self.allocations[name], entry["allocs_per_packet"])
        except (ValueError, KeyError, TypeError) as error:
            raise BadRun(f"not the JSON of that benchmark ({error!r})") from error
        self.nanoseconds = {name: statistics.median(values) for name, values in times.items()}
        self.repetitions = min(map(len, times.values()), default=0)

    def ratio(self, row, peer):
        for name in (row, peer):
            if name not in self.nanoseconds:
                raise BadRun(f"has no row {name}")
        return self.nanoseconds[row] / self.nanoseconds[peer]

    def allocating_rows(self):
        """Rows of ours that allocate."""
        return [name for name, count in self.allocations.items() if name.startswith(OURS) and count > 0]


def row_of(peer, row):
    """The full name of what a row is compared with."""
    return peer if "/" in peer else peer + row[row.index("/"):]


def print_table(runs):
    """Prints the bars; whether all are cleared."""
    missed = 0
    print("bar".ljust(78) + "at most" + "".join(f"   run {i}" for i in range(1, len(runs) + 1)))
    for row, peer, limit in BARS:
        ratios = [run.ratio(row, row_of(peer, row)) for run in runs]
        bad = any(ratio > limit for ratio in ratios)
        missed += bad
        print(f"{row} / {peer}".ljust(78) + f"{limit:7.2f}" + "".join(f"{ratio:8.3f}" for ratio in ratios)
              + ("   MISS" if bad else "   pass"))
    allocating = sorted({name for run in runs for name in run.allocating_rows()})
    missed += bool(allocating)
    print("allocations of all sluice rows".ljust(78) + f"{0:7}" + " " * 8 * len(runs)
          + ("   MISS: " + ", ".join(allocating) if allocating else "   pass"))
    print(f"{len(BARS) + 1 - missed} passed, {missed} missed")
    return missed == 0


def print_times(runs):
    """Prints the times of all rows."""
    for name in sorted({name for run in runs for name in run.nanoseconds}):
        print(name.ljust(48) + "".join(f"{run.nanoseconds.get(name, float('nan')):9.1f}" for run in runs))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="+", help="JSON of one run")
    parser.add_argument("--real", action="store_true", help="compare elapsed time instead of CPU time")
    parser.add_argument("--times", action="store_true", help="also print the nanoseconds of every row")
    options = parser.parse_args(arguments)
    clock = "real_time" if options.real else "cpu_time"
    runs = []
    for name in options.run:
        try:
            with open(name, encoding="utf-8") as file:
                runs.append(Run(file.read(), clock))
        except (OSError, BadRun) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    if options.times:
        print_times(runs)
    try:
        return 0 if print_table(runs) else 1
    except BadRun as error:
        print(f"a run {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
