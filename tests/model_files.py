"""Model files with something changed in them."""

import json

from novikoff.models.model import BLANK, _digest


def rewritten(content, change):
    """A file with another document, and the digest to go with it."""
    size = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    document = json.loads(header["__metadata__"]["novikoff"])
    document["digest"] = BLANK
    data = change(document, header, data) or data
    header["__metadata__"]["novikoff"] = json.dumps(document)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    content = len(text).to_bytes(8, "little") + text + data
    at = content.index(BLANK.encode())
    return content[:at] + _digest(content, at).encode() + content[at + 64 :]
