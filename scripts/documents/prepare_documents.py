"""Fetches documents that other programs have written, 20 of each format.

    prepare_documents.py --work FOLDER [--count 20] [--only docx,srt]

Writes FOLDER/FORMAT/before. Documents come from public repositories at fixed commits, and from wheels of Python.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

# Repositories on GitHub, and their commits.
COMMITS = {
    "3b1b/captions": "9aef876b0ed62ce4f099c0a2f0e7a52e8d1058c9",
    "apache/poi": "a528d43590b3f71aa94310de881a35af887fdd0f",
    "apache/tomcat": "84ac9af072d4c43ebb44ccc0ceba405ad0a84903",
    "atalargo/xliff-ruby": "d6855630ee245865512fcec0744a3ee8e46e2b2e",
    "dotnet/msbuild": "05f089128b4b06b2c6a489a0602c18a53b18de38",
    "flutter/gallery": "cfcb9dbda56697fe8bafe4b64c1a9261dde908ae",
    "georgringer/news": "805d535a9c46a2de9929d61847213872923812b3",
    "glut23/webvtt-py": "2f78325d96f260540fe4ba729d3624daaf3f9be6",
    "gorhill/uBlock": "fe277a4ea6d18a0a62757826bb665a92c04a0745",
    "iina/iina": "3e7e879cd12fa22753183872acf49ce38630ef42",
    "jgm/pandoc": "0a9a2f261510322ee5a33a2a7facce54b8a718ec",
    "keepassxreboot/keepassxc": "95bae8377c88f46fda565e09fee25d7ba684fe9e",
    "mozilla-mobile/android-components": "bb489ef682b33e8ebc770908bfe06befb13b0dd6",
    "oasis-tcs/xliff-xliff-22": "bf6b775c460415e9588b299ceb7d388eb03aed26",
    "omegat-org/omegat": "ba59a84762de0ecebcf42ee98ac890caac1f75a0",
    "scanny/python-pptx": "278b47b1dedd5b46ee84c286e77cdfb0bf4594be",
    "ShareX/ShareX": "e9711f202c68e85bfe4fd34cd32862846418f46b",
    "sparkle-project/Sparkle": "fa4eaa977cb1a390b237349be2f3d761175f345a",
    "svenfuchs/rails-i18n": "34be758a2748b0a7c99c90838d387276c4d97bf2",
    "tdf/odftoolkit": "bfdef6ea3dc841d54b3a277e372ab59e51a824ac",
}
SCHEMAS = [("atalargo/xliff-ruby", r"xsd/xliff-core-1\.2-strict\.xsd"),
           ("oasis-tcs/xliff-xliff-22", r"xliff-21/schemas/.*\.xsd")]
XML_SCHEMA = "informativeCopiesOf3rdPartySchemas/w3c/xml.xsd"
# Documents that programs must refuse, or that only a password opens.
BAD = r"(?!.*(fuzz|crash|[Pp]rotect|[Ee]ncrypt|[Cc]orrupt|damaged|[Pp]assword|[Dd]uplicate|[Ii]nvalid|missing))"
# Format: ending, least and greatest size in bytes, and (repository, pattern of paths, share of the documents).
SOURCES = {
    "txt": ("txt", 500, 40_000, [("omegat-org/omegat", r"release/.*\.txt", 1), ("apache/tomcat", r".*\.txt", 1)]),
    "markdown": ("md", 2_000, 30_000, [("mozilla-mobile/android-components", r".*\.md", 1),
                                       ("omegat-org/omegat", r".*\.md", 1)]),
    "html": ("html", 1_000, 40_000, [("omegat-org/omegat", r"src/docs/tips/.*\.html", 1),
                                     ("tdf/odftoolkit", r".*\.html", 2), ("apache/tomcat", r"webapps/.*\.html", 1)]),
    "srt": ("srt", 2_000, 20_000, [("3b1b/captions", r".*/english/captions\.srt", 1)]),
    "vtt": ("vtt", 200, 20_000, [("3b1b/captions", r".*/english/captions\.srt", 3),
                                 ("glut23/webvtt-py", BAD + r".*\.vtt", 2)]),
    "xliff": ("xlf", 900, 20_000, [("georgringer/news", r".*Language/locallang.*\.xlf", 1),
                                   ("dotnet/msbuild", r".*\.(de|fr)\.xlf", 1),
                                   ("omegat-org/omegat", r".*(BUGS1221|SMP|en-xx|en-ca|Export.*|ex.*)\.xlf", 1),
                                   ("oasis-tcs/xliff-xliff-22", r"xliff-21/test-suite/\w+/valid/.*\.xlf", 1)]),
    "tmx": ("tmx", 600, 70_000, [("omegat-org/omegat", BAD + r".*(en|test-|ImportTest)[^/]*\.tmx", 1)]),
    "po": ("po", 400, 40_000, [("Django==5.1.4", r".*/locale/en/.*\.po", 1),
                               ("wagtail==6.3.1", r".*/locale/(en|nl)/.*\.po", 1)]),
    "json": ("json", 1_000, 40_000, [("gorhill/uBlock", r".*/_locales/.*\.json", 1),
                                     ("flutter/gallery", r"lib/l10n/intl_.*\.arb", 1)]),
    "arb": ("arb", 1_000, 60_000, [("flutter/gallery", r"lib/l10n/intl_.*\.arb", 1)]),
    "yaml": ("yml", 1_000, 40_000, [("svenfuchs/rails-i18n", r"rails/locale/.*\.yml", 1)]),
    "properties": ("properties", 500, 30_000, [("apache/tomcat", r".*/LocalStrings(_de|_fr|_ja)?\.properties", 3),
                                               ("omegat-org/omegat", r".*Bundle(_de|_fr)?\.properties", 1)]),
    "strings": ("strings", 500, 20_000, [("iina/iina", r".*/en\.lproj/.*\.strings", 3),
                                         ("sparkle-project/Sparkle", r".*\.strings", 1)]),
    "android": ("xml", 300, 60_000, [("mozilla-mobile/android-components",
                                      r"(?!.*/downloads/).*/res/values/strings\.xml", 1)]),
    "resx": ("resx", 2_000, 50_000, [("ShareX/ShareX", r"(?!.*\.\w\w(-\w+)?\.resx).*\.resx", 1)]),
    "ts": ("ts", 1_000, 600_000, [("keepassxreboot/keepassxc", r"share/translations/.*\.ts", 1)]),
    "docx": ("docx", 8_000, 150_000, [("apache/poi", BAD + r".*\.docx", 1),
                                      ("jgm/pandoc", r"test/docx/[a-z_]*\.docx", 1)]),
    "pptx": ("pptx", 20_000, 250_000, [("apache/poi", BAD + r".*\.pptx", 1), ("scanny/python-pptx", r".*\.pptx", 1)]),
    "xlsx": ("xlsx", 8_000, 100_000, [("apache/poi", BAD + r".*\.xlsx", 1)]),
    "odt": ("odt", 8_000, 120_000, [("tdf/odftoolkit", BAD + r".*\.odt", 1), ("jgm/pandoc", r".*\.odt", 1)]),
    "odp": ("odp", 8_000, 3_000_000, [("tdf/odftoolkit", BAD + r".*\.odp", 3),
                                      ("scanny/python-pptx", r".*\.pptx", 1)]),
    "epub": ("epub", 2_000, 500_000, [("jgm/pandoc", r".*\.epub", 1), ("tdf/odftoolkit", BAD + r".*\.odt", 1),
                                      ("mozilla-mobile/android-components", r".*\.md", 1)]),
}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=900,
                            **options)
    if result.returncode:
        sys.exit(f"prepare_documents: {' '.join(map(str, command))[:200]}: {result.stderr[-500:]}")
    return result.stdout


class Repository:
    """Files of a repository at its commit, or of a wheel, which are fetched when requested."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder / name.replace("/", "+")
        self.is_wheel = "==" in name
        if self.is_wheel:
            if not self.folder.exists():
                run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest",
                    self.folder, name)
            with zipfile.ZipFile(next(self.folder.glob("*.whl"))) as wheel:
                self.sizes = {entry.filename: entry.file_size for entry in wheel.infolist()}
            return
        if not (self.folder / "config").exists():
            run("git", "init", "--quiet", "--bare", self.folder)
            self.git("remote", "add", "origin", f"https://github.com/{name}")
        if subprocess.run(["git", "-C", self.folder, "cat-file", "-e", COMMITS[name] + "^{tree}"],
                          capture_output=True, check=False).returncode:
            self.git("fetch", "--quiet", "--depth", "1", "--filter=blob:limit=4m", "origin", COMMITS[name])
        self.sizes = {}
        for line in self.git("ls-tree", "-r", "-l", "-z", COMMITS[name]).split("\0")[:-1]:
            size = line.split("\t")[0].split()[3]
            self.sizes[line.split("\t")[1]] = int(size) if size.isdigit() else 0

    def git(self, *arguments):
        return run("git", "-C", self.folder, *arguments)

    def write(self, path, target):
        if self.is_wheel:
            with zipfile.ZipFile(next(self.folder.glob("*.whl"))) as wheel:
                target.write_bytes(wheel.read(path))
        else:
            with target.open("wb") as file:
                subprocess.run(["git", "-C", self.folder, "cat-file", "blob", f"{COMMITS[self.name]}:{path}"],
                               stdout=file, check=True)


def convert(source, target, work):
    """Lets the program of a format write a document of another format."""
    if source.suffix in (".odt", ".pptx"):
        run("soffice", f"-env:UserInstallation=file://{work.resolve()}/profile", "--headless", "--convert-to",
            target.suffix[1:], "--outdir", target.parent, source)
    elif source.suffix == ".md":
        run("pandoc", "--from", "gfm", "--metadata", f"title={source.stem}", "--output", target, source)
    elif source.suffix == ".srt":
        run("ffmpeg", "-v", "error", "-i", source, target)
    else:
        target.write_bytes(source.read_bytes())


def prepare(name, repositories, work, count):
    """Writes the documents of a format. They are chosen by the hash of their paths."""
    ending, min_size, max_size, sources = SOURCES[name]
    before, fetched = work / name / "before", work / name / "fetched"
    for folder in (before, fetched):
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
    queues = []
    for repository, pattern, share in sources:
        files = [path for path, size in repositories(repository).sizes.items()
                 if re.fullmatch(pattern, path) and min_size <= size <= max_size]
        files.sort(key=lambda path: hashlib.sha256(path.encode()).hexdigest())
        queues.append((share, files, repositories(repository)))
    number, seen = 0, set()
    while number < count and any(files for _, files, _ in queues):
        for share, files, repository in queues:
            for _ in range(min(share, len(files), count - number)):
                path = files.pop(0)
                source = fetched / f"{number + 1:02}{pathlib.PurePath(path).suffix}"
                repository.write(path, source)
                if source.read_bytes() in seen:
                    continue
                seen.add(source.read_bytes())
                number += 1
                target = before / f"{number:02}.{ending}"
                if source.suffix == target.suffix or source.suffix == ".arb":
                    target.write_bytes(source.read_bytes())
                else:
                    convert(source, target, work)
                print(f"{name} {target.name} {repository.name} {path}")
    return number


def main():
    parser = argparse.ArgumentParser(description="Fetches documents of all formats.")
    parser.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="write files into DIR")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="files of each format (default: 20)")
    parser.add_argument("--only", default=",".join(SOURCES), metavar="NAMES", help="formats, with commas")
    options = parser.parse_args()
    known = {}

    def repositories(name):
        if name not in known:
            known[name] = Repository(name, options.work / "repositories")
        return known[name]

    (options.work / "repositories").mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        number = prepare(name, repositories, options.work, options.count)
        print(f"prepared {number} {name}", file=sys.stderr, flush=True)
        if name == "xliff":
            for repository, pattern in SCHEMAS:
                for path in repositories(repository).sizes:
                    if re.fullmatch(pattern, path):
                        target = options.work / "schemas" / re.sub(r".*schemas/|xsd/", "", path)
                        target.parent.mkdir(parents=True, exist_ok=True)
                        repositories(repository).write(path, target)
                        target.write_text(target.read_text().replace("http://www.w3.org/2001/xml.xsd", XML_SCHEMA))


if __name__ == "__main__":
    main()
