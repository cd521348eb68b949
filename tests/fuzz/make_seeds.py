#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets and their dictionaries.

    tests/fuzz/make_seeds.py FOLDER

FOLDER gets a folder and a dictionary for each target. The inputs of readers of requests are requests that clients have
sent (tests/serve/golden), in the form that each target reads, and a few for what no client has sent; file_seeds.py has
those of readers of files.
"""

import json
import pathlib
import re
import sys

import file_seeds

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORM = "application/x-www-form-urlencoded"
MULTIPART = ('--xyz\r\nContent-Disposition: form-data; name="{}"\r\n\r\nEN\r\n'
             '--xyz\r\nContent-Disposition: form-data; name="{}"\r\n\r\nDE\r\n'
             '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a\\"b.{}"\r\n\r\n{}\r\n--xyz--\r\n')
ADDRESSES = ["127.0.0.1:5000", "[::1]:0", "localhost:5000", "::1:80", "[fe80::1%1]:65535", "0.0.0.0:65536", "[]:1"]
RULES = ["", "br,p;b;x;", ";a,b;;1"]
WORDS = ["Content-Disposition: form-data", "; name=", "; filename=", "--xyz", "chunked", "gzip", "identity",
         "Transfer-Encoding", "Content-Length", "Connection: close", "Expect: 100-continue", "HTTP/1.1", "HTTP/1.0",
         "\r\n", "\r\n\r\n", "\n----\n", "{id}", "{key}", "<![CDATA[", "]]>", "<?xml version='1.0'?>", "<!DOCTYPE a>",
         "<!--", "-->", "&amp;", "&#x41;", "\\u0000", "\\ud800", "%00", "%C3%A4", "[]", "null", "true", "1e999",
         "GET ", "POST ", "PUT ", "PATCH ", "DELETE ", "HEAD ", "OPTIONS "]


def post(path, body, kind="application/json", method="POST"):
    return {"request": f"{method} {path}", "headers": {"Content-Type": kind}, "body": body}


def multipart(path, names, ending, content):
    return post(path, MULTIPART.format(*names, ending, content), "multipart/form-data; boundary=xyz")


def get(path, method="GET"):
    return {"request": f"{method} {path}", "headers": {}, "body": ""}


def further_requests():
    """Returns lists of requests that follow each other."""
    texts = {"q": ["ana nipa", "lemu"], "source": "en", "target": "de"}
    glossary = {"name": "one", "source_lang": "en", "target_lang": "de", "entries": "ana\temi", "entries_format": "tsv"}
    dictionary = {key: value for key, value in glossary.items() if key != "name"}
    files = ("source", "target")
    deepl_files = ("source_lang", "target_lang")
    yield [post("/translate", json.dumps({**texts, "alternatives": 2, "confidence": True, "glossary": {"ana": "emi"}}))]
    yield [post("/translate", json.dumps({**texts, "format": "html", "q": "<p>ana <b>nipa</b></p>"}))]
    stream = post("/translate", json.dumps({**texts, "q": "ana. nipa."}))
    yield [{**stream, "headers": {**stream["headers"], "Accept": "text/event-stream"}}]
    yield [post("/v1/score", json.dumps({**texts, "pairs": [{"source": "ana", "target": "emi"}]}))]
    yield [post("/v1/alternatives", json.dumps({**texts, "q": "ana nipa", "prefix": "emi"}))]
    yield [post("/translate", "q=ana%20nipa&source=en&target=de&q=lemu", FORM)]
    yield [post("/detect", "q=ana+nipa", FORM)]
    yield [post("/v2/glossaries", json.dumps(glossary)), get("/v2/glossaries/{id}/entries"), get("/v2/glossaries/{id}"),
           post("/v2/translate", json.dumps({"text": ["ana"], "source_lang": "EN", "target_lang": "DE",
                                             "glossary_id": "{id}"})), get("/v2/glossaries/{id}", "DELETE")]
    yield [post("/v3/glossaries", json.dumps({"name": "two", "dictionaries": [dictionary]})),
           get("/v3/glossaries/{id}/entries?source_lang=en&target_lang=de"),
           post("/v3/glossaries/{id}", json.dumps({"name": "three"}), method="PATCH"),
           post("/v3/glossaries/{id}/dictionaries", json.dumps(dictionary), method="PUT"),
           get("/v3/glossaries/{id}/dictionaries?source_lang=en&target_lang=de", "DELETE"), get("/v3/glossaries")]
    yield [multipart("/translate_file", files, "txt", "ana nipa\nlemu")]
    yield [multipart("/translate_file", files, "html", "<p>ana <i>nipa</i></p>")]
    yield [multipart("/translate_file", files, "json", '{"a": "ana nipa"}')]
    yield [multipart("/v2/document", deepl_files, "srt", "1\n00:00:01,000 --> 00:00:02,000\nana nipa\n"),
           post("/v2/document/{id}", "document_key={key}", FORM),
           get("/v2/document/{id}/result?document_key={key}"), get("/v2/document/{id}?document_key={key}", "DELETE")]
    for path in ("/languages", "/frontend/settings", "/metrics", "/v1/models", "/", "/v2/languages?type=target",
                 "/v3/languages?resource=glossary", "/v2/usage", "/v2/glossary-language-pairs", "/suggest"):
        yield [get(path)]


def as_input(exchange):
    """Returns a request as tests/fuzz/request_input.h reads it."""
    headers = "".join(f"{name}: {value}\n" for name, value in exchange["headers"].items())
    return f"{exchange['request']}\n{headers}\n{exchange['body']}"


def on_the_wire(exchange, chunked):
    body = exchange["body"].encode()
    headers = {"Host": "localhost", **exchange["headers"]}
    if chunked:
        headers["Transfer-Encoding"] = "chunked"
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    elif body:
        headers["Content-Length"] = len(body)
    head = f"{exchange['request']} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return head.encode() + b"\r\n" + body


def tagged_texts(value):
    if isinstance(value, str):
        return [value] if "<" in value else []
    if isinstance(value, dict):
        value = list(value.values())
    return [text for each in value for text in tagged_texts(each)] if isinstance(value, list) else []


def quoted(word):
    """Returns a word as dictionaries of libFuzzer spell it."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02X}"
                   for byte in word.encode())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    exchanges = [exchange for file in sorted((ROOT / "tests" / "serve" / "golden").glob("*.json"))
                 for exchange in json.loads(file.read_text())["exchanges"]]
    chains = [[exchange] for exchange in exchanges] + list(further_requests())
    single = [exchange for chain in chains for exchange in chain]
    inputs = {"routes": ["\n----\n".join(map(as_input, chain)).encode() for chain in chains]}
    inputs["forms"] = inputs["fields"] = [as_input(exchange).encode() for exchange in single]
    inputs["http_syntax"] = inputs["connection"] = [
        on_the_wire(exchange, chunked) for exchange in single for chunked in (False, True)]
    inputs["connection"] = inputs["connection"] + [b"".join(on_the_wire(each, False) for each in single[:3])]
    inputs["listen_address"] = [address.encode() for address in ADDRESSES]
    texts = [text for exchange in exchanges if exchange["body"].startswith("{")
             for text in tagged_texts(json.loads(exchange["body"]))]
    texts += ["ana <![CDATA[<b> & c]]>", "<?xml version='1.0'?><!DOCTYPE a><a><b>one</b><!-- c --><x/>&amp;</a>"]
    inputs["xml_text"] = [f"{rules}\n{text}".encode() for text in texts for rules in RULES]

    words = set(WORDS) | set(re.findall(r"[a-z]+[a-z_]+", " ".join(exchange["body"] for exchange in single)))
    words |= {exchange["request"].split()[1].split("?")[0] for exchange in single}
    dictionaries = dict.fromkeys(inputs, words)
    files = file_seeds.inputs()
    inputs.update(files)
    dictionaries.update((target, file_seeds.words(target, contents)) for target, contents in files.items())

    folder = pathlib.Path(sys.argv[1])
    for target, contents in inputs.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(sorted(set(contents))):
            (folder / target / f"seed-{number}").write_bytes(content)
        (folder / f"{target}.dict").write_text("".join(f'"{quoted(word)}"\n' for word in sorted(dictionaries[target])
                                                       if len(word) < 40))


if __name__ == "__main__":
    main()
