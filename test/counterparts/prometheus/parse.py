"""Reads metrics in the text format of Prometheus from standard input, and writes the families as JSON."""

import json
import math
import sys

from prometheus_client.parser import text_string_to_metric_families


def shown(value):
    """JSON has no infinite numbers."""
    return value if math.isfinite(value) else str(value)

families = [
    {
        "name": family.name,
        "type": family.type,
        "help": family.documentation,
        "samples": [[sample.name, sample.labels, shown(sample.value)] for sample in family.samples],
    }
    for family in text_string_to_metric_families(sys.stdin.read())
]
print(json.dumps(families))
