"""Marian's own code as an engine: the wheel bergamot holds its fork for browsers, and wants Python 3.10.

`find_engine` prepares it. The second half of this file runs in that Python, which has no other packages: it reads a job
as JSON from the standard input and prints the translations as JSON.
"""

import glob
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

WHEEL = "bergamot==0.4.5"


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
    if not stamp.exists() or stamp.read_text() != WHEEL:
        options = os.environ.get("PIP_OPTIONS", "").split()
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *options,
                        WHEEL], check=True)
        stamp.write_text(WHEEL)
    return Engine(python)


class Engine:
    def __init__(self, python):
        self.python = python

    def translate(self, model, vocabularies, lines, **settings):
        """Translates lines; `settings` are options of Marian. The defaults search greedily in float32."""
        options = {"models": [str(pathlib.Path(model).resolve())],
                   "vocabs": [str(pathlib.Path(path).resolve()) for path in vocabularies],
                   "beam-size": 1, "normalize": 1.0, "word-penalty": 0.0, "max-length-factor": 20.0,
                   "max-length-break": 200, "mini-batch-words": 4000, "workspace": 128, "cpu-threads": 0,
                   "gemm-precision": "float32", "alignment": "", "allow-unk": False, "skip-cost": True, "quiet": True,
                   "quiet-translation": True, "ssplit-mode": "sentence", "ssplit-prefix-file": "", **settings}
        done = subprocess.run([self.python, "-I", __file__], input=json.dumps({"options": options, "lines": lines}),
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"Marian's engine: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout.splitlines()[-1])


def main():
    package = os.path.join(sysconfig.get_path("platlib"), "bergamot")
    path, = glob.glob(os.path.join(package, "_bergamot*.so"))
    spec = importlib.util.spec_from_file_location("bergamot._bergamot", path)
    bergamot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bergamot)
    job = json.load(sys.stdin)
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=1, cacheSize=0, logLevel="off"))
    model = service.modelFromConfig("".join(f"{key}: {json.dumps(value)}\n" for key, value in job["options"].items()))
    # Without splitting, a line is one sentence.
    found = service.translate(model, bergamot.VectorString(job["lines"]), bergamot.ResponseOptions())
    print(json.dumps([response.target.text.rstrip("\n") for response in found]))


if __name__ == "__main__":
    main()
