"""Marian's own code as an engine: the wheel bergamot holds its fork for browsers, and wants Python 3.10. The wheel
fxtranslate is another engine for Firefox's models, written in Rust.

`find_engine` prepares them. The second half of this file runs in that Python, which has no other packages: it reads a
job as JSON from the standard input and prints translations, time and memory as JSON.
"""

import glob
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import time

WHEEL = "bergamot==0.4.5"
FIREFOX_WHEEL = "fxtranslate==0.5.0"


def pythons():
    """Paths of Python 3.10, of pyenv, uv and the PATH."""
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    yield from sorted(glob.glob(os.path.join(root, "versions/3.10*/bin/python3.10")), reverse=True)
    if uv := shutil.which("uv"):
        found = subprocess.run([uv, "python", "find", "3.10"], capture_output=True, text=True)
        if found.returncode == 0:
            yield found.stdout.strip()
    if path := shutil.which("python3.10"):
        yield path


def runs(python):
    version = subprocess.run([python, "-c", "import sys, venv; print(sys.version_info[:2])"], capture_output=True,
                             text=True)
    return version.returncode == 0 and version.stdout.strip() == "(3, 10)"


def find_engine(folder):
    """Returns an Engine, which is installed into the virtual environment `folder`; None without Python 3.10."""
    folder = pathlib.Path(folder)
    python = folder / "bin/python"
    if not (python.exists() and runs(python)):
        base = next((path for path in pythons() if runs(path)), None)
        if base is None:
            return None
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
    stamp = folder / "installed.txt"
    wheels = [WHEEL, FIREFOX_WHEEL]
    if not stamp.exists() or stamp.read_text().split() != wheels:
        options = os.environ.get("PIP_OPTIONS", "").split()
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *options,
                        *wheels], check=True)
        stamp.write_text("\n".join(wheels))
    return Engine(python)


class Engine:
    def __init__(self, python):
        self.python = python

    def translate(self, model, vocabularies, lines, **settings):
        """Translates lines; `settings` are options of Marian. The defaults search greedily in float32."""
        return self.measure(model, vocabularies, lines, **settings)["lines"]

    def measure(self, model, vocabularies, lines, alone=False, **settings):
        """Also returns "load" and "seconds", and "peak" in MB. `alone`: each line is a batch."""
        options = {"models": [str(pathlib.Path(model).resolve())],
                   "vocabs": [str(pathlib.Path(path).resolve()) for path in vocabularies],
                   "beam-size": 1, "normalize": 1.0, "word-penalty": 0.0, "max-length-factor": 20.0,
                   "max-length-break": 200, "mini-batch-words": 4000, "workspace": 128, "cpu-threads": 0,
                   "gemm-precision": "float32", "alignment": "", "allow-unk": False, "skip-cost": True, "quiet": True,
                   "quiet-translation": True, "ssplit-mode": "sentence", "ssplit-prefix-file": "", **settings}
        return self.run({"engine": "bergamot", "options": options, "alone": alone, "lines": lines})

    def measure_fxtranslate(self, model, vocabularies, shortlist, lines):
        """fxtranslate, which has no other settings and takes one line at a time."""
        files = [str(pathlib.Path(path).resolve()) for path in (model, *vocabularies, *([shortlist] if shortlist else []))]
        return self.run({"engine": "fxtranslate", "files": files, "lines": lines})

    def run(self, job):
        done = subprocess.run([self.python, "-I", __file__], input=json.dumps(job), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{job['engine']}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout.splitlines()[-1])


def peak_memory(process):
    """In MB. getrusage would count the memory of the program that started the process."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def open_bergamot(job):
    package = os.path.join(sysconfig.get_path("platlib"), "bergamot")
    path, = glob.glob(os.path.join(package, "_bergamot*.so"))
    spec = importlib.util.spec_from_file_location("bergamot._bergamot", path)
    bergamot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bergamot)
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=1, cacheSize=0, logLevel="off"))
    model = service.modelFromConfig("".join(f"{key}: {json.dumps(value)}\n" for key, value in job["options"].items()))

    def translate(lines):  # without splitting, a line is one sentence
        found = service.translate(model, bergamot.VectorString(lines), bergamot.ResponseOptions())
        return [response.target.text.rstrip("\n") for response in found]

    return translate if not job["alone"] else lambda lines: [translate([line])[0] for line in lines]


def open_fxtranslate(job):
    import fxtranslate
    model = fxtranslate.Translator(*(pathlib.Path(path).read_bytes() for path in job["files"]))
    return lambda lines: [model.translate(line) for line in lines]


def main():
    job = json.load(sys.stdin)
    start = time.monotonic()
    translate = {"bergamot": open_bergamot, "fxtranslate": open_fxtranslate}[job["engine"]](job)
    translate(job["lines"][:1])  # bergamot loads the model with the first line
    loaded = time.monotonic()
    lines = translate(job["lines"])
    seconds = time.monotonic() - loaded
    print(json.dumps({"lines": lines, "load": loaded - start, "seconds": seconds, "peak": peak_memory("self")}))
    sys.stdout.flush()
    os._exit(0)  # the service of bergamot ends slowly


if __name__ == "__main__":
    main()
