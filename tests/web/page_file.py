"""Puts a document into the template of the page, as gloss does."""

import base64
import json
import pathlib
import re
import struct
import zlib

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"

# Arrays that the page stores with 8 bits a value.
QUANTIZED = {
    "weights",
    "norms",
    "table",
    "clean",
    "learned",
    "similarity",
    "input",
    "self",
    "cross",
    "feed_forward",
    "output",
    "tokens",
    "positions",
    "sum",
}


def quantized(node, key, content):
    """Returns the node with large arrays replaced by offsets into `content`, a bytearray."""
    if isinstance(node, list):
        return [quantized(each, key, content) for each in node]
    if not isinstance(node, dict):
        return node
    if "values" in node and "shape" in node and key in QUANTIZED:
        values = node["values"]
        low, high = (min(values), max(values)) if values else (0, 0)
        scale = (high - low) / 255 or 1
        at = len(content)
        content.extend(min(255, max(0, round((value - low) / scale))) for value in values)
        return {"shape": node["shape"], "at": at, "min": low, "scale": scale}
    return {name: quantized(each, name, content) for name, each in node.items()}


def packed(document):
    """Returns the payload: base64 of zlib of [length of the JSON][JSON][bytes]."""
    content = bytearray()
    text = json.dumps(quantized(document, "", content), ensure_ascii=False).encode()
    return base64.b64encode(zlib.compress(struct.pack("<I", len(text)) + text + bytes(content), 9)).decode()


def plain(document):
    """Returns the payload as JSON that is safe inside a script element."""
    return json.dumps(document, ensure_ascii=False).replace("<", "\\u003c")


def page(document, payload, title="gloss explain"):
    """Returns the HTML file for a document. `payload` is packed or plain."""
    files = (WEB / "files.txt").read_text().split()
    parts = {
        "title": title.replace("&", "&amp;").replace("<", "&lt;"),
        "style": "".join((WEB / name).read_text() for name in files if name.endswith(".css")),
        "script": "".join((WEB / name).read_text() for name in files if name.endswith(".js")),
        "payload": payload(document),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], (WEB / "explain.html").read_text())
