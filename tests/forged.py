"""Certificate files as somebody would write them who wants to deceive."""

import hashlib
import json
import re

import numpy as np


def signed_again(document):
    """The text of a file with this content and a digest that agrees, as somebody would write it who wants to deceive."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in document.items() if name != "digest"]
    body = "{\n" + "".join(line + ",\n" for line in lines)
    return f'{body}"digest": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


def changed_once(document, rng):
    """One number, row, sign or digit of the certificate changed."""
    paths = []

    def walk(value, path):
        if isinstance(value, dict):
            for name, part in value.items():
                walk(part, [*path, name])
        elif isinstance(value, list):
            for k, part in enumerate(value):
                walk(part, [*path, k])
        elif path[0] not in ("format", "version", "outcome", "digest"):
            paths.append(path)

    document = json.loads(json.dumps(document))
    walk(document, [])
    *way, last = paths[rng.integers(len(paths))]
    place = document
    for step in way:
        place = place[step]
    old = place[last]
    if isinstance(old, bool):
        place[last] = not old
    elif isinstance(old, int):
        place[last] = old + int(rng.choice([-1, 1]))
    elif isinstance(old, float):
        place[last] = float(rng.choice([-old, old * 1.5 + 1, old * 0.5, np.nextafter(old, np.inf), np.nextafter(old, -np.inf)]))
    elif isinstance(old, str) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", old):
        k = rng.integers(len(old))
        place[last] = old[:k] + ("7" if old[k] != "7" else "3") + old[k + 1 :] if old[k].isdigit() else old[1:]
    else:
        place[last] = "0" if old is None else f"{old}x"
    return document
