#!/usr/bin/env python3
"""Checks gloss serve with the clients of LibreTranslate and DeepL that others publish, unchanged.

    scripts/check_serving_clients.py [--gloss build/ci/app/gloss] [--record] [CLIENT...]

Installs each client from pip into build/serving-clients, starts a server with the tiny model of the tests, lets the
client use everything it has for the server, and compares its results with what they must be. Between both stands a
proxy, which --record makes write requests and answers to tests/serve/golden: tests/serve/api/golden_test.cpp sends them
again, without pip. Clients: libretranslatepy, deepl, deep-translator, and the machinery of Weblate, which
needs Python 3.12 for its newest release and takes 400 MB.
"""

import argparse
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "serve" / "golden"
KEYS = {"full-key": "", "small-key": "characters=20"}
WEBLATE_SETTINGS = """from weblate.settings_example import *
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
SITE_DOMAIN = "localhost"
DATA_DIR = "data"
"""


def expect(found, wanted):
    if found != wanted:
        raise AssertionError(f"wanted {wanted!r}, got {found!r}")


def fails(error, call, *arguments, **options):
    """Calls a function that must raise an error, and returns the error's message."""
    try:
        call(*arguments, **options)
    except error as caught:
        return str(caught)
    raise AssertionError(f"wanted {error.__name__}")


# What each client does; `url` is that of the proxy.


def use_libretranslatepy(url):
    from libretranslatepy import LibreTranslateAPI

    api = LibreTranslateAPI(url, api_key="full-key")
    assert api.translate("ana nipa", "en", "de")
    assert api.translate("ana nipa", "auto", "de")
    expect([each["code"] for each in api.languages()], ["de", "en"])
    assert "confidence" in api.detect("This text has enough words to be found as English.")[0]
    assert "403" in fails(Exception, LibreTranslateAPI(url, api_key="other").translate, "ana nipa", "en", "de")
    assert "400" in fails(Exception, api.translate, "ana nipa", "en", "fr")


def use_deep_translator(url):
    from deep_translator import DeeplTranslator, LibreTranslator
    from deep_translator.exceptions import AuthorizationException, ServerException

    libre = LibreTranslator(source="en", target="de", api_key="full-key", custom_url=url)
    assert libre.translate("ana nipa") and len(libre.translate_batch(["ana nipa", "lemu ratu"])) == 2
    deepl = DeeplTranslator(source="en", target="de", api_key="full-key")
    deepl._base_url = url + "v2/"  # the class has the addresses of DeepL only
    assert deepl.translate("ana nipa") and len(deepl.translate_batch(["ana nipa", "lemu ratu"])) == 2
    for each in (libre, deepl):
        each.api_key = "other"
        fails(AuthorizationException, each.translate, "ana nipa")
    deepl.api_key, deepl._target = "full-key", "fr"
    fails(ServerException, deepl.translate, "ana nipa")


def use_deepl(url):
    import deepl
    from deepl.api_data import MultilingualGlossaryDictionaryEntries as Entries

    client = deepl.DeepLClient("full-key:fx", server_url=url)

    def translated(text, **options):
        return client.translate_text(text, source_lang="EN", target_lang="DE", **options)

    def refused(text, **options):
        return fails(deepl.DeepLException, translated, text, **options)

    # Texts
    found = client.translate_text(["ana nipa", "Emi dalo"], target_lang="DE")
    expect([each.detected_source_lang for each in found], ["DE", "DE"])  # CLD2 takes them for German: they stay
    expect([each.text for each in found], ["ana nipa", "Emi dalo"])
    expect([each.billed_characters for each in found], [8, 8])
    best = translated("ana nipa").text
    expect(translated(" \n").text, " \n")
    everything = dict(context="mo", preserve_formatting=True, formality="prefer_more", tag_handling_version="v2")
    expect(translated("ana nipa", model_type="prefer_quality_optimized", **everything).text, best)
    expect(translated("ana nipa", model_type="latency_optimized").model_type_used, "latency_optimized")
    line, lines = translated("lemu ana").text, "lemu\nana"
    expect(translated(lines, split_sentences=deepl.SplitSentences.NO_NEWLINES).text.split(), line.split())
    expect(translated(lines, split_sentences=deepl.SplitSentences.OFF).text.count("\n"), 1)
    expect(translated(lines, split_sentences=deepl.SplitSentences.ALL).text.count("\n"), 1)
    # Tags
    xml = '<doc><title>ana</title><p>lemu <b>ana</b> <x id="1"/>ratu</p><no>nipa</no></doc>'
    tags = translated(xml, tag_handling="xml", ignore_tags=["no"]).text
    expect(sorted(re.findall("<[^>]*>", tags)), sorted(re.findall("<[^>]*>", xml)))
    assert "<no>nipa</no>" in tags
    expect(translated("lemu<br/>ana", tag_handling="xml", splitting_tags="br").text,
           f"{translated('lemu').text}<br/>{translated('ana').text}")
    expect(translated("<a>lemu</a> <b>ana</b>", tag_handling="xml").text,
           f"<a>{translated('lemu').text}</a> <b>{translated('ana').text}</b>")
    for option in ({"outline_detection": False}, {"non_splitting_tags": "a,b"}):
        inline = translated("<a>lemu</a> <b>ana</b>", tag_handling="xml", **option).text
        expect(re.sub("<[^>]*>", "", inline).split(), line.split())
    html = translated('<p>ana</p><p translate="no">nipa</p><keep>nipa</keep>', tag_handling="html", ignore_tags="keep")
    expect(html.text, f'<p>{translated("ana").text}</p><p translate="no">nipa</p><keep>nipa</keep>')
    # Refusals
    assert "well-formed" in refused("<a>ana", tag_handling="xml")
    for options in ({"formality": "more"}, {"style_rule": "any"}, {"custom_instructions": ["any"]},
                    {"translation_memory": "any"}, {"tag_handling": "rtf"}, {"split_sentences": "2"}):
        assert "Bad request" in refused("ana", **options)
    assert "Bad request" in refused(["ana"] * 51)
    assert "Bad request" in fails(deepl.DeepLException, client.translate_text, "ana", target_lang="FR")
    assert "Not found" in refused("ana", glossary="any")
    fails(deepl.DeepLException, client.rephrase_text, "ana")
    # Languages and usage
    expect([str(each) for each in client.get_source_languages()], ["EN"])
    expect([(str(each), each.supports_formality) for each in client.get_target_languages()], [("DE", False)])
    pairs = [(each.source_lang, each.target_lang) for each in client.get_glossary_languages()]
    expect(pairs, [("en", "de")])
    before = client.get_usage().character
    translated("ana nipa")
    refused("ana", formality="more")
    expect(client.get_usage().character.count, before.count + 8)
    assert before.valid and not before.limit_reached
    small = deepl.DeepLClient("small-key", server_url=url)
    small.translate_text("x" * 20, source_lang="EN", target_lang="DE")
    assert small.get_usage().any_limit_reached
    fails(deepl.QuotaExceededException, small.translate_text, "x", source_lang="EN", target_lang="DE")
    fails(deepl.AuthorizationException, deepl.DeepLClient("other", server_url=url).get_usage)
    # Glossaries
    glossary = client.create_glossary("one", "EN", "DE", {"ana": "emi", "nipa": "dalo"})
    expect((glossary.name, glossary.ready, glossary.entry_count, glossary.target_lang), ("one", True, 2, "DE"))
    assert "emi" in translated("ana", glossary=glossary).text
    assert "emi" in client.translate_text_with_glossary("ana", glossary).text
    table = client.create_glossary_from_csv("two", "EN", "DE", '"ratu",mo,EN,DE\nlemu,"dalo"\n')
    expect(client.get_glossary_entries(table), {"ratu": "mo", "lemu": "dalo"})
    assert {"emi", "mo"} <= set(translated("ana ratu", glossary_ids=[glossary, table]).text.split())
    expect([each.name for each in client.list_glossaries()], ["one", "two"])
    expect(client.get_glossary(table.glossary_id).glossary_id, table.glossary_id)
    expect(small.list_glossaries(), [])
    fails(deepl.GlossaryNotFoundException, small.get_glossary, glossary.glossary_id)
    client.delete_glossary(glossary)
    fails(deepl.GlossaryNotFoundException, client.get_glossary_entries, glossary)
    fails(deepl.DeepLException, client.create_glossary, "three", "DE", "EN", {"ana": "emi"})
    fails(deepl.DeepLException, client.create_glossary, "three", "EN", "DE", {"ana": "\u6f22"})
    # Glossaries of several directions
    several = client.create_multilingual_glossary("many", [Entries("EN", "DE", {"ana": "emi"})])
    expect([each.entry_count for each in several.dictionaries], [1])
    assert "emi" in translated("ana", glossary=several).text
    expect(client.update_multilingual_glossary_name(several, "more").name, "more")
    added = Entries("EN", "DE", {"nipa": "dalo"})
    expect(client.update_multilingual_glossary_dictionary(several, added).dictionaries[0].entry_count, 2)
    entries = client.get_multilingual_glossary_entries(several, "EN", "DE").dictionaries[0]
    expect(entries.entries, "ana\temi\nnipa\tdalo")
    expect(client.replace_multilingual_glossary_dictionary(several, added).entry_count, 1)
    expect([each.name for each in client.list_multilingual_glossaries()], ["two", "more"])
    client.delete_multilingual_glossary_dictionary(several, source_lang="EN", target_lang="DE")
    expect(client.get_multilingual_glossary(several.glossary_id).dictionaries, [])
    client.delete_multilingual_glossary(several)
    fails(deepl.GlossaryNotFoundException, client.get_multilingual_glossary, several.glossary_id)


def use_weblate(url):
    pathlib.Path("weblate_settings.py").write_text(WEBLATE_SETTINGS)
    sys.path.insert(0, os.getcwd())
    os.environ["DJANGO_SETTINGS_MODULE"] = "weblate_settings"
    import django

    django.setup()
    from weblate.machinery.base import MachineTranslationError
    from weblate.machinery.deepl import DeepLTranslation
    from weblate.machinery.libretranslate import LibreTranslateTranslation

    texts = ['ana <x id="3"></x> nipa', "lemu &amp; ratu"]
    libre = LibreTranslateTranslation({"key": "full-key", "url": url})
    libre.validate_settings()
    expect(sorted(libre.download_languages()), ["de", "en"])
    found = libre.download_multiple_translations("en", "de", [(text, None) for text in texts])
    expect(sorted(found), sorted(texts))
    deepl = DeepLTranslation({"key": "full-key", "url": url, "context": "mo", "next_gen": True})
    deepl.validate_settings()
    assert ("EN", "DE") in set(deepl.download_languages())
    found = deepl.download_multiple_translations("EN", "DE", [(text, None) for text in texts])
    assert '<x id="3"></x>' in found[texts[0]][0]["text"]
    assert deepl.is_glossary_supported("EN", "DE") and not deepl.is_glossary_supported("DE", "EN")
    deepl.create_glossary("EN", "DE", "weblate:1", "ana\temi")
    (name, key), = deepl.list_glossaries().items()
    expect(name, "weblate:1")
    deepl.update_glossary(key, "EN", "DE", "weblate:2", "ana\temi\nnipa\tdalo")
    expect(list(deepl.list_glossaries()), ["weblate:2"])
    deepl.delete_oldest_glossary()
    expect(deepl.list_glossaries(), {})
    fails(Exception, DeepLTranslation({"key": "other", "url": url}).download_languages)
    fails(Exception, deepl.download_multiple_translations, "EN", "FR", [("ana", None)])
    assert MachineTranslationError


CLIENTS = {
    "libretranslatepy": ("libretranslatepy", use_libretranslatepy),
    "deepl": ("deepl", use_deepl),
    "deep-translator": ("deep-translator", use_deep_translator),
    "weblate": ("weblate", use_weblate),
}


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on to the server and keeps them with their answers."""

    def __init__(self, port):
        self.exchanges = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                server = http.client.HTTPConnection("127.0.0.1", port)
                server.request(self.command, self.path, body or None, {**headers, "Host": "localhost"})
                answer = server.getresponse()
                content = answer.read()
                kept = ("authorization", "content-type", "accept")
                proxy.exchanges.append({
                    "request": f"{self.command} {self.path}",
                    "headers": {name: value for name, value in headers.items() if name.lower() in kept},
                    "body": body.decode(), "status": answer.status, "answer": content.decode()})
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def without_chance(exchanges):
    """Replaces ids by ID1, ID2, ..., and times by TIME; reads JSON; marks what needs a detector of languages."""
    text = json.dumps(exchanges)
    for number, found in enumerate(dict.fromkeys(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)), 1):
        text = text.replace(found, f"ID{number}")
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)
    result = json.loads(text)
    for each in result:
        detects = "/detect" in each["request"] or "=auto" in each["body"]
        detects |= "/v2/translate" in each["request"] and "source_lang" not in each["request"] + each["body"]
        detects |= "auto_detection" in each["answer"]
        each["needs_detector"] = detects
        if each["answer"][:1] in ("{", "["):
            each["answer"] = json.loads(each["answer"])
    return result


def python_for(client):
    """Returns the newest Python for Weblate, and this one for others."""
    found = [shutil.which(f"python3.{minor}") for minor in (13, 12)] if client == "weblate" else []
    found += [str(path) for path in sorted(pathlib.Path.home().glob(".pyenv/versions/3.12.*/bin/python3"))]
    works = [path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0]
    return works[0] if client == "weblate" and works else sys.executable


def install(client, package, folder):
    """Installs a client and returns its Python and its version."""
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = folder / "installed"
    if not done.exists():
        subprocess.run([python_for(client), "-m", "venv", "--clear", folder], check=True)
        if client == "weblate":  # its requirements one by one: borgbackup needs headers, and the machinery does not
            subprocess.run([*pip, "--no-deps", package], check=True)
            listed = subprocess.run(
                [python, "-c", "import importlib.metadata as m; print('\\n'.join(m.requires('weblate')))"],
                check=True, capture_output=True, text=True).stdout.splitlines()
            wanted = [each for each in listed if "extra ==" not in each] + ["psycopg[binary]"]
            for each in wanted:
                if subprocess.run([*pip, "--only-binary", ":all:", each], capture_output=True).returncode:
                    print(f"{client}: not installed, and not needed unless it fails: {each}")
        else:
            subprocess.run([*pip, package], check=True)
        done.touch()
    code = f"import importlib.metadata as m; print(m.version('{package}'))"
    return python, subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def check(client, gloss, work, record):
    package, _ = CLIENTS[client]
    python, version = install(client, package, work / client)
    with tempfile.TemporaryDirectory() as folder:
        keys = pathlib.Path(folder) / "keys"
        keys.write_text("".join(f"{hashlib.sha256(key.encode()).hexdigest()} {key} {limits}\n"
                                for key, limits in KEYS.items()))
        model = ROOT / "tests" / "golden" / "tiny_model.safetensors"
        command = [gloss, "serve", "--model", f"en-de={model}", "--listen", "127.0.0.1:0", "--api-keys", keys]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                for line in server.stderr:
                    if found := re.search(r"listening to .*:(\d+)", line):
                        break
                else:
                    sys.exit("the server has not started")
                threading.Thread(target=lambda: [None for _ in server.stderr], daemon=True).start()
                with Proxy(int(found[1])) as proxy:
                    url = f"http://127.0.0.1:{proxy.server_port}/"
                    subprocess.run([python, __file__, "--use", url, client], check=True, cwd=folder)
                    proxy.shutdown()
            finally:
                server.terminate()
    if record:
        golden = {"client": f"{package} {version}", "exchanges": without_chance(proxy.exchanges)}
        (GOLDEN / f"{client}.json").write_text(json.dumps(golden, indent=1) + "\n")
    print(f"{package} {version}: {len(proxy.exchanges)} requests are answered as the client wants them")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gloss", default=ROOT / "build" / "ci" / "app" / "gloss", help="the program")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "serving-clients", help="for packages")
    parser.add_argument("--record", action="store_true", help="write the golden files")
    parser.add_argument("--use", help=argparse.SUPPRESS)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help="of " + ", ".join(CLIENTS))
    options = parser.parse_args()
    if options.use:
        return CLIENTS[options.clients[0]][1](options.use)
    for client in options.clients or CLIENTS:
        check(client, options.gloss, options.work, options.record)


if __name__ == "__main__":
    main()
