"""side-by-side: gloss serve beside servers around CTranslate2, with the same weights, sentences and clients."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys

from client import Client, wrk, wrk_text
from process import Gloss, Process

PACKAGES = {"ctranslate2": ["ctranslate2", "sentencepiece", "aiohttp"], "libretranslate": ["libretranslate", "spacy"]}


def python_with(name, work):
    """Returns the Python of a virtual environment, which is made with the packages if it is not there."""
    folder = (work / name).resolve()
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", *PACKAGES[name]], check=True)
        (folder / "installed").touch()
    return folder / "bin/python"


def versions(python, packages):
    code = f"import importlib.metadata as m; print(*(f'{{p}} {{m.version(p)}}' for p in {packages!r}), sep=', ')"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def ctranslate2_server(options, exported, way, inter, intra):
    python = python_with("ctranslate2", options.work)
    script = pathlib.Path(__file__).parent / "ctranslate2_server.py"
    return Process([python, script, exported, way, inter, intra]), versions(python, PACKAGES["ctranslate2"])


def libretranslate_server(options, exported, folder, source, target):
    """Starts LibreTranslate with a package of Argos that has the weights. Its models of sentence ends are in no
    registry of packages, so spaCy's rules find sentences, which LibreTranslate offers, too."""
    python = python_with("libretranslate", options.work)
    packages, home = folder / "packages", folder / "home"
    # The other direction is there because LibreTranslate looks for models elsewhere if it has fewer than two.
    for one, other in ((source, target), (target, source)):
        package = packages / f"{one}_{other}"
        shutil.copytree(exported, package / "model")
        shutil.copy(exported / "tokenizer.model", package / "sentencepiece.model")
        (package / "metadata.json").write_text(json.dumps({
            "package_version": "1.0", "argos_version": "1.9", "from_code": one, "from_name": one, "to_code": other,
            "to_name": other}))
        subprocess.run([python, "-c", f"import spacy; spacy.blank({one!r}).to_disk({str(package / 'spacy')!r})"],
                       check=True)
    cache = home / "cache" / "argos-translate" / "spacy" / "senter" / "model"  # marks that nothing is to be fetched
    cache.parent.mkdir(parents=True)
    cache.touch()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        "HOME": home, "XDG_DATA_HOME": home / "data", "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": home / "cache", "ARGOS_PACKAGES_DIR": packages, "ARGOS_CHUNK_TYPE": "SPACY",
        "ARGOS_BEAM_SIZE": "5", "ARGOS_COMPUTE_TYPE": "float32", "ARGOS_INTER_THREADS": "1",
        "ARGOS_INTRA_THREADS": str(options.threads or os.cpu_count())}
    server = Process([python.parent / "libretranslate", "--host", "127.0.0.1", "--port", str(port), "--disable-web-ui"],
                     f"127.0.0.1:{port}", environment={key: str(value) for key, value in environment.items()})
    server.wait_until_ready("/health", 120)
    return server, versions(python, PACKAGES["libretranslate"] + ["ctranslate2", "argos-translate-lt"])


def run(options, sentences, folder):
    exported = folder / "exported"
    model = options.model.split("=", 1)[-1]
    subprocess.run([options.gloss, "export", "--model", model, "--to", "ctranslate2", "--output", exported],
                   check=True, capture_output=True)
    threads = str(options.threads or os.cpu_count())
    rows, expected = {}, None
    source, target = options.model.split("=", 1)[0].rsplit("-", 1)
    bodies = [json.dumps({"q": s, "source": source, "target": target}).encode() for s in sentences]

    def start(name):
        if name == "gloss":
            return Gloss(options, "--precision", "float32"), "gloss"
        if name == "libretranslate":
            return libretranslate_server(options, exported, folder, source, target)
        way, inter, intra = name.replace("x", "-").split("-")
        return ctranslate2_server(options, exported, way, inter, intra)

    for name in options.servers.split(","):
        server, version = start(name)
        with server:
            client = Client(server.address)
            found = [client.post("/translate", body).json()["translatedText"] for body in bodies[:100]]
            expected = expected or found
            rows[name] = {"version": version, "equal_to_first": sum(a == b for a, b in zip(found, expected)),
                          "compared": len(found), "loads": []}
            print(f"{name} ({version}): {rows[name]['equal_to_first']} of {len(found)} translations are those of "
                  f"{next(iter(rows))}", flush=True)
            for connections in map(int, options.connections.split(",")):
                rows[name]["loads"].append(wrk(server, folder, bodies, connections, options.seconds))
                print(wrk_text(rows[name]["loads"][-1]), flush=True)
            rows[name]["resident_mib"] = server.status("VmRSS") >> 20
    return {"threads": threads, "servers": rows,
            "holds": not any(load["failed"] + load["refused"] for row in rows.values() for load in row["loads"])}
