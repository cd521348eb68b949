#!/usr/bin/env python3
"""Opens the page of `gloss serve` in headless Chromium and uses it: translator_test.py GLOSS MODEL [PICTURES]

Checks streaming, words, alternatives, the glossary, errors, keys, both themes, narrow screens and the keyboard, and that
the page asks nothing of another server and breaks no rule of its content policy. Writes pictures to the folder PICTURES.
Exits with 77 if Chromium is missing.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from served_gloss import ServedGloss
from webdriver import KEYS, Browser

TEXT = "ana nipa. Lemu ana ratu!\n\nfugo hina"
WORD = ".output .word"
ITEMS = ".menu [role=menuitem]"

# Replaces fetch for /translate: a stream whose parts the test sends by window.send, and closes by window.end.
HELD_STREAM = """
const real = window.fetch;
window.fetch = (path, options) => {
  if (path !== "translate") return real(path, options);
  const body = new ReadableStream({start(controller) {
    window.send = (text) => controller.enqueue(new TextEncoder().encode(text));
    window.end = () => controller.close();
    options.signal.addEventListener("abort", () => { window.aborts = (window.aborts || 0) + 1; });
  }});
  return Promise.resolve(new Response(body, {status: 200}));
};
"""

# Replaces fetch for one path by an answer, `times` times: [path, status, body, headers, times].
ANSWER = """
const real = window.fetch;
const [path, status, body, headers, times] = arguments;
window.asked = 0;
window.fetch = (to, options) => to === path && ++window.asked <= times
  ? Promise.resolve(new Response(JSON.stringify(body), {status, headers})) : real(to, options);
"""

# Answers requests by path: {path: body}. What was sent is kept in window.sent.
ANSWERS = """
const real = window.fetch;
const [answers] = arguments;
window.sent = {};
window.fetch = (path, options) => {
  if (!(path in answers)) return real(path, options);
  window.sent[path] = JSON.parse(options.body);
  return Promise.resolve(Response.json(answers[path]));
};
"""

# Keeps the name and the content of a file that the page saves.
SAVED = """
const make = URL.createObjectURL;
URL.createObjectURL = (content) => {
  content.text().then((text) => { window.content = text; });
  return make(content);
};
HTMLAnchorElement.prototype.click = function() { window.saved = this.download; };
"""

# Settings of a server that translates no files.
WITHOUT_FILES = """
const real = window.fetch;
window.fetch = async (path, options) => path !== "frontend/settings" ? real(path, options)
  : Response.json({...await (await real(path, options)).json(), filesTranslation: false});
"""


def event(name, **data):
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


class TranslatorTest(unittest.TestCase):
    browser = None
    gloss = model = pictures = None

    @classmethod
    def setUpClass(cls):
        cls.server = cls.serve()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    @classmethod
    def serve(cls, *arguments, **options):
        models = ["--model", f"en-de={cls.model}", "--model", f"de-en={cls.model}"]
        return ServedGloss(cls.gloss, *models, *arguments, **options)

    def open(self, server=None, width=1280, dark=False):
        """Opens the page as a reader who has never been there."""
        self.browser.show_as(width, dark)
        self.url = (server or self.server).url
        self.load()
        self.browser.run("localStorage.clear(); sessionStorage.clear()")
        self.browser.logs()
        self.browser.logs("performance")
        self.load()

    def load(self):
        self.browser.open(self.url)
        self.browser.wait("document.querySelector('#page').dataset.ready")

    def type(self, text):
        """Types a text after English was chosen, so that no language is detected."""
        self.choose("#from", "en")
        self.browser.keys(text, "#source")

    def choose(self, selector, value):
        self.browser.run(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change', {bubbles: true}))",
            selector,
            value,
        )

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)

    def press(self, selector, number=0):
        self.browser.run("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, number)

    def press_item(self, text):
        script = "[...document.querySelectorAll(arguments[0])].find((e) => e.textContent.startsWith(arguments[1])).click()"
        self.browser.run(script, ITEMS, text)

    def focused(self):
        return self.browser.run("return document.activeElement.textContent")

    def keys(self, *names):
        """Presses keys, wherever the focus is."""
        actions = [{"type": kind, "value": KEYS.get(name, name)} for name in names for kind in ("keyDown", "keyUp")]
        self.browser.actions([{"type": "key", "id": "keys", "actions": actions}])

    def translated(self):
        """Waits for a translation and the details of its words."""
        self.browser.wait(f"document.querySelector('{WORD}[data-doubt]') && !document.querySelector('.old')")

    def picture(self, name):
        if self.pictures:
            self.browser.picture(self.pictures / f"{name}.png", whole=False)

    def check_quiet(self, expected=()):
        """Expects an empty console, no request elsewhere, and no fault against the content policy."""
        problems = [entry["message"] for entry in self.browser.logs()]
        self.assertEqual([each for each in problems if not any(part in each for part in expected)], [])
        entries = [json.loads(entry["message"])["message"] for entry in self.browser.logs("performance")]
        urls = [
            entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"
        ]
        self.assertTrue(urls)
        self.assertEqual([url for url in urls if not url.startswith((self.url, "data:", "blob:"))], [])

    def test_translates_while_one_types(self):
        self.open()
        self.type(TEXT)
        self.translated()
        self.assertEqual(self.count(".output .sentence"), 3)
        self.assertIn("\n\n", self.text(".output"))
        self.assertTrue(self.text("#count").startswith(f"{len(TEXT)} / "))
        self.assertEqual(self.browser.run("return document.querySelector('.output').lang"), "de")
        self.picture("translation")
        self.browser.run("window.first = document.querySelector('.unit')")
        self.browser.keys(" joka", "#source")
        self.browser.wait("document.querySelector('.unit:last-of-type').sentence.source.includes('joka')")
        self.assertTrue(self.browser.run("return window.first === document.querySelector('.unit')"), "was drawn anew")
        self.press("[aria-label='Clear the text']")
        self.browser.wait("document.querySelector('.output').textContent === ''")
        self.check_quiet()

    def test_shows_sentences_as_they_come_and_aborts_older_requests(self):
        self.open()
        self.browser.run(HELD_STREAM)
        self.browser.run(
            "window.spoken = 0; new MutationObserver(() => ++window.spoken).observe("
            "document.querySelector('[role=status]'), {childList: true, characterData: true, subtree: true})"
        )
        self.type("a. b")
        self.browser.wait("window.send")
        sentence = {"before": "", "index": 0, "source": "a.", "text": "Eins.", "confidence": 0.9}
        first = event("sentence", **sentence)
        self.browser.run("window.send(arguments[0])", first[:30])
        self.browser.run("window.send(arguments[0])", first[30:])
        self.browser.wait("document.querySelector('.output').textContent === 'Eins.'")
        self.assertEqual(self.browser.run("return document.querySelector('.output').ariaBusy"), "true")
        self.browser.run("window.before = window.send")
        self.browser.keys("c", "#source")
        self.browser.wait("window.aborts === 1 && window.send !== window.before")
        self.assertEqual(self.count(".old"), 1, "the older translation is dimmed, not gone")
        second = {**sentence, "before": " ", "index": 1, "source": "bc", "text": "<b>Zwei</b>"}
        for part in (first, event("sentence", **second), event("done", translatedText="Eins. <b>Zwei</b>\n")):
            self.browser.run("window.send(arguments[0])", part)
        self.browser.wait("document.querySelector('.output').ariaBusy === 'false'")
        self.assertEqual(self.text(".output"), "Eins. <b>Zwei</b>\n")
        self.assertEqual(self.count(".output b, .old"), 0)
        self.assertEqual(self.text("[role=status]"), "Translated into German. Eins. <b>Zwei</b>")
        self.assertEqual(self.browser.run("return document.querySelector('[role=status] span').lang"), "de")
        self.assertEqual(self.browser.run("return window.spoken"), 1, "screen readers hear the whole translation once")
        self.assertEqual(self.count(".output[aria-live], [aria-live] .output"), 0)

    def test_a_stream_that_breaks_is_reported(self):
        self.open()
        self.browser.run(HELD_STREAM)
        self.type("a")
        self.browser.wait("window.send")
        self.browser.run("window.send(arguments[0])", event("error", error="The deadline has passed", status=504))
        self.browser.wait("!document.querySelector('[role=alert]').hidden")
        self.assertIn("took too long", self.text("[role=alert]"))
        self.browser.run("window.before = window.send")
        self.press("[role=alert] button")
        self.browser.wait("window.send !== window.before")
        self.browser.run("window.end()")
        self.browser.wait("document.querySelector('[role=alert]').textContent.includes('ended before')")

    def test_words_are_shaded_and_linked(self):
        self.open()
        self.type("ana nipa")
        self.translated()
        doubts = self.browser.run(f"return [...document.querySelectorAll('{WORD}')].map((e) => e.dataset.doubt)")
        self.assertIn("3", doubts)
        number = self.browser.run(
            "const {details} = document.querySelector('.unit').sentence; return details.alignment[0][1]"
        )
        self.browser.run(f"document.querySelectorAll('{WORD}')[arguments[0]].focus()", number)
        self.browser.wait("document.querySelectorAll('.copy .marked').length > 0")
        self.assertEqual(self.count(f"{WORD}.marked"), 1)
        self.assertGreater(self.count(".links path"), 0)
        place = self.browser.run(
            "const box = document.querySelector('.copy .marked').getBoundingClientRect();"
            "return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round)"
        )
        self.browser.run("document.activeElement.blur()")
        self.assertEqual(self.count(".marked, .links path"), 0)
        move = {"type": "pointerMove", "x": place[0], "y": place[1]}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self.browser.actions([mouse])
        self.browser.wait(f"document.querySelectorAll('{WORD}.marked').length > 0")
        self.picture("links")
        self.press("#shades")
        self.assertEqual(self.count(".shaded"), 0)
        self.browser.keys("x", "#source")
        self.assertEqual(self.count(".marked"), 0)
        self.check_quiet()

    def test_alternatives_of_a_word_and_of_the_sentence(self):
        self.open()
        self.type("ana nipa")
        self.translated()
        best = self.text(".output")
        self.browser.run(f"document.querySelectorAll('{WORD}')[1].focus()")
        self.keys("enter")
        self.browser.wait(f"document.querySelectorAll('{ITEMS}').length > 2")
        self.assertEqual(self.browser.run("return document.activeElement.role"), "menuitem")
        self.picture("menu")
        first = self.focused()
        self.keys("down")
        self.assertNotEqual(self.focused(), first)
        self.keys("home")
        word = self.text(".menu .choice")
        self.keys("enter")
        self.browser.wait("!document.querySelector('.menu')")
        words = self.text(".output").split()
        self.assertEqual(words[0], best.split()[0], "what stands before the word stays")
        self.assertEqual(words[1], word)
        self.assertEqual(self.focused(), word)
        self.browser.wait(f"document.querySelector('{WORD}[data-doubt]')")
        self.browser.keys(" ", "#source")  # the sentence is translated again, and keeps what was chosen
        self.translated()
        self.assertEqual(self.text(".output").split(), words)
        self.press(WORD, 1)
        self.press_item("Back to the first")
        self.assertEqual(self.text(".output").strip(), best)
        self.press(WORD)
        self.press_item("Other translations")
        self.browser.wait("document.querySelector('.menu').ariaLabel.includes('sentence')")
        self.browser.wait(f"document.querySelectorAll('{ITEMS}').length > 1")
        self.keys("escape")
        self.assertEqual(self.count(".menu"), 0)
        self.assertEqual(self.focused(), best.split()[0])
        self.keys("end")
        self.assertEqual(self.focused(), best.split()[-1])
        self.check_quiet()

    def test_glossary_is_kept_and_used(self):
        self.open()
        self.choose("#from", "en")
        self.press(".tools button")
        self.browser.keys("nipa", "dialog tbody input")
        self.keys("enter")
        self.browser.actions([{"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": letter} for letter in "lemu" for kind in ("keyDown", "keyUp")]}])  # fmt: skip
        self.picture("glossary")
        self.press("dialog header button")
        self.browser.wait("!document.querySelector('dialog')")
        self.assertIn("(1)", self.text(".tools button"))
        self.browser.keys("ana nipa", "#source")
        self.translated()
        self.assertIn("lemu", self.text(".output"))
        self.load()
        self.assertIn("(1)", self.text(".tools button"))
        self.choose("#to", "en")
        self.check_quiet()

    def test_swap_puts_the_translation_to_the_left(self):
        self.open()
        self.type("ana nipa")
        self.translated()
        text = self.text(".output")
        self.press(".languages button")
        self.assertEqual(self.browser.run("return document.querySelector('#source').value"), text)
        self.assertEqual(self.browser.run("return document.querySelector('#from').value"), "de")
        self.assertEqual(self.browser.run("return document.querySelector('#to').value"), "en")
        self.browser.wait(f"document.querySelector('{WORD}') && document.querySelector('.output').lang === 'en'")
        self.check_quiet()

    def test_an_explanation_opens_and_draws(self):
        self.open()
        self.type("ana nipa")
        self.translated()
        self.explain()
        self.type(" ana" * 200)
        self.browser.wait("document.querySelector('.unit')?.sentence.source.length > 500")
        self.browser.wait(f"document.querySelector('{WORD}')")
        self.press(WORD)
        self.browser.wait(f"document.querySelector('{ITEMS}')")
        self.assertNotIn("Explain", self.text(".menu"), "the server does not explain long sentences")

    def explain(self):
        """Opens the explanation of "ana nipa" in a tab of its own, and closes it."""
        before = self.browser.call("GET", f"{self.browser.session}/window/handles")
        self.press(WORD)
        self.press_item("Explain")
        for _ in range(600):
            opened = set(self.browser.call("GET", f"{self.browser.session}/window/handles")) - set(before)
            if opened:
                break
        self.browser.post("/window", {"handle": opened.pop()})
        self.browser.wait("document.querySelector('#page') && document.querySelector('#page').dataset.ready")
        self.assertEqual(self.text("h1"), "ana nipa")
        self.assertGreater(self.count("#attention canvas"), 0)
        self.assertTrue(self.browser.run("return location.pathname + location.search").endswith("/v1/explanation"))
        self.assertEqual([entry["message"] for entry in self.browser.logs()], [])
        self.browser.call("DELETE", f"{self.browser.session}/window")
        self.browser.post("/window", {"handle": before[0]})

    def test_a_key_is_asked_for_and_kept_for_the_tab(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text(hashlib.sha256(b"right").hexdigest() + " anna\n")
            server = self.serve("--api-keys", str(keys))
            try:
                self.open(server)
                self.assertIn("asks for a key", self.text("dialog h2"))
                self.picture("key")
                self.browser.keys("wrong", "dialog input")
                self.press("dialog .main")
                self.type("ana nipa")
                self.browser.wait("document.querySelector('dialog')")
                self.assertIn("does not know the key", self.text("dialog p"))
                self.browser.keys("right", "dialog input")
                self.press("dialog .main")
                self.translated()
                self.load()
                self.assertEqual(self.count("dialog"), 0)
                self.browser.keys("ana nipa", "#source")
                self.translated()
                self.check_quiet(["status of 403"])
                self.explain()
                self.assertEqual(self.browser.run("return sessionStorage.getItem('gloss.key')"), "right")
                kept = self.browser.run("return JSON.stringify(localStorage) + document.cookie + location.href")
                self.assertNotIn("right", kept)
            finally:
                server.close()

    def test_a_file_is_sent_and_its_translation_saved(self):
        self.open()
        formats = self.browser.run("return document.querySelector('input[type=file]').accept").split(",")
        self.assertIn(".txt", formats)
        self.assertIn(".docx", formats)
        self.choose("#from", "en")
        self.browser.run(SAVED)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.txt"
            file.write_text("ana nipa")
            self.browser.keys(str(file), "input[type=file]")
            self.browser.wait("window.saved")
        self.assertEqual(self.browser.run("return window.saved"), "report.de.txt")
        self.browser.wait("window.content")
        self.browser.keys("ana nipa", "#source")
        self.translated()
        self.assertEqual(self.browser.run("return window.content").strip(), self.text(".output"))
        self.check_quiet()

    def test_a_file_that_cannot_be_translated_is_reported(self):
        self.open()
        self.choose("#from", "en")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "picture.png"
            file.write_bytes(b"PNG")
            self.browser.keys(str(file), "input[type=file]")
            self.browser.wait("document.querySelector('[role=alert]').textContent.includes('format')")
        self.assertEqual(self.text(".tools [aria-label='Translate a file'] span"), "File")
        self.picture("wrong_file")

    def test_a_file_can_be_dropped_and_canceled(self):
        self.open()
        self.type("ana")
        self.browser.run(
            "window.fetch = (path, {signal}) => new Promise((take, fail) => signal.addEventListener('abort', () =>"
            "fail(new DOMException('', 'AbortError'))));"
            "const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File(['ana'], 'a.txt'));"
            "const drop = new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true});"
            "window.left = document.body.dispatchEvent(drop)"
        )
        self.assertFalse(self.browser.run("return window.left"), "the browser opens the file in place of the page")
        self.browser.wait("document.querySelector('[role=alert]').textContent.includes('Translating a.txt')")
        self.picture("file")
        self.press("[aria-label='Cancel the translation of the file']")
        self.browser.wait("document.querySelector('[role=alert]').textContent.includes('is not translated')")

    def test_entries_of_a_glossary_that_are_not_used_are_marked(self):
        self.open()
        self.choose("#from", "en")
        self.press(".tools button")
        for row, (phrase, translation) in enumerate([("nipa", "lemu"), ("nipa", "ratu"), ("ana", "")]):
            if row > 0:
                self.press("dialog .actions button")
            self.browser.keys(phrase, f"dialog tr:nth-child({row + 1}) td:nth-child(1) input")
            self.browser.keys(translation, f"dialog tr:nth-child({row + 1}) td:nth-child(2) input")
        self.browser.run("document.querySelector('dialog header button').focus()")
        invalid = "return [...document.querySelectorAll('dialog td:first-child input')].map((e) => e.ariaInvalid)"
        self.assertEqual(self.browser.run(invalid), ["false", "true", "true"])
        self.assertIn("not used", self.text("dialog [role=status]"))
        self.picture("glossary_faults")
        self.keys("escape")
        self.browser.wait("!document.querySelector('dialog')")
        self.assertEqual(self.text(".tools button"), "Glossary (1)")
        self.assertEqual(self.focused(), "Glossary (1)")

    def test_paper_has_both_texts_and_no_buttons(self):
        self.open()
        self.type(TEXT)
        self.translated()
        self.browser.command("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            self.picture("print")
            shown = self.browser.run(
                "return [...document.querySelectorAll('button, textarea, .copy, .output')]"
                ".filter((e) => e.getClientRects().length > 0).map((e) => e.className)"
            )
            self.assertEqual(shown, ["copy text", "text output shaded"])
            self.assertNotIn("rgba", self.browser.run("return getComputedStyle(document.querySelector('.copy')).color"))
        finally:
            self.browser.command("Emulation.setEmulatedMedia", {"media": ""})

    def test_a_server_without_files_has_no_button_for_them(self):
        without = self.browser.command("Page.addScriptToEvaluateOnNewDocument", {"source": WITHOUT_FILES})
        try:
            self.open()
            self.assertEqual(self.count("input[type=file]"), 0)
        finally:
            self.browser.command("Page.removeScriptToEvaluateOnNewDocument", without)

    def test_languages_through_a_third_one_have_plain_words(self):
        server = ServedGloss(self.gloss, "--model", f"en-de={self.model}", "--model", f"de-fr={self.model}")
        try:
            self.open(server)
            self.choose("#from", "en")
            self.choose("#to", "fr")
            self.browser.keys("ana nipa", "#source")
            self.browser.wait("document.querySelector('.output').textContent")
            self.assertEqual(self.count(f"{WORD}, .output [tabindex]"), 0)
            shown = "return document.querySelector('.result .bar').innerText"
            self.assertIn("No model translates between these languages alone", self.browser.run(shown))
            self.assertNotIn("Shade", self.browser.run(shown))
            self.picture("pivot")
            self.choose("#to", "de")
            self.translated()
            self.assertNotIn("No model", self.browser.run(shown))
            self.check_quiet()
        finally:
            server.close()

    def test_the_address_names_a_text_and_languages(self):
        self.open()
        self.browser.open(self.url + "?source=de&target=en&q=ana+nipa%26%3Cb%3E")
        self.browser.wait("document.querySelector('#page').dataset.ready")
        self.browser.wait(f"document.querySelector('{WORD}')")
        chosen = "return ['#source', '#from', '#to'].map((each) => document.querySelector(each).value)"
        self.assertEqual(self.browser.run(chosen), ["ana nipa&<b>", "de", "en"])
        self.load()
        self.assertEqual(self.browser.run(chosen)[0], "")

    def test_the_language_of_a_text_is_detected(self):
        self.open()
        if self.browser.run("return document.querySelector('#from').value") != "auto":
            self.skipTest("this gloss is built without CLD2")
        self.choose("#to", "de")
        self.browser.keys("The weather is very nice today, and so we walk to the river.", "#source")
        self.browser.wait("document.querySelector('#from option').textContent === 'English (detected)'")
        self.browser.wait(f"document.querySelector('{WORD}')")
        self.assertEqual(self.browser.run("return document.querySelector('#source').lang"), "en")
        self.press("[aria-label='Clear the text']")
        self.browser.wait("document.querySelector('#from option').textContent === 'Detect language'")
        self.check_quiet()

    def test_errors_are_told_and_tried_again(self):
        self.open()
        self.browser.run(ANSWER, "translate", 503, {"error": "busy"}, {"Retry-After": "1"}, 1)
        self.type("ana nipa")
        self.browser.wait("!document.querySelector('[role=alert]').hidden")
        self.assertRegex(self.text("[role=alert]"), "The server is busy. The next try is in 1 s.")
        self.translated()
        self.assertTrue(self.browser.run("return document.querySelector('[role=alert]').hidden"))
        self.browser.run(ANSWER, "translate", 429, {"error": "Slowdown"}, {"Retry-After": "30"}, 9)
        self.browser.keys(" ana", "#source")
        self.browser.wait("!document.querySelector('[role=alert]').hidden")
        self.assertIn("Too many requests", self.text("[role=alert]"))
        self.picture("error")
        for status, body, message in (
            (413, {"error": "The body is longer than 1 KiB"}, "The body is longer than 1 KiB"),
            (400, {"error": "glossary: no such word"}, "glossary: no such word"),
            (500, {"error": "Internal error"}, "Internal error"),
            (502, "a page of a proxy", "status 502"),
            (504, {"error": "late"}, "took too long"),
        ):
            self.load()
            self.browser.run(ANSWER, "translate", status, body, {}, 1)
            self.type("ana nipa")
            self.browser.wait("!document.querySelector('[role=alert]').hidden")
            self.assertIn(message, self.text("[role=alert]"))
            self.assertEqual(self.count("[role=alert] button"), int(status >= 500), "what may pass is tried again")
            self.assertEqual(self.browser.run("return document.querySelector('#source').value"), "ana nipa")

    def test_a_server_that_has_gone_is_reported(self):
        server = self.serve()
        self.open(server)
        self.assertEqual(server.close(), 0)
        self.type("ana")
        self.browser.wait("!document.querySelector('[role=alert]').hidden")
        self.assertIn("cannot be reached", self.text("[role=alert]"))
        self.assertEqual(self.count("[role=alert] button"), 1)
        self.assertEqual(self.browser.run("return document.querySelector('#source').value"), "ana")
        server = self.serve(listen=server.url[len("http://") : -1])
        try:
            self.press("[role=alert] button")
            self.translated()
            self.assertTrue(self.browser.run("return document.querySelector('[role=alert]').hidden"))
        finally:
            server.close()

    def test_a_text_that_is_too_long_is_not_sent(self):
        server = self.serve("--max-characters", "12")
        try:
            self.open(server)
            self.type("ana nipa lemu ratu")
            self.browser.wait("!document.querySelector('[role=alert]').hidden")
            self.assertIn("longer than", self.text("[role=alert]"))
            self.assertEqual(self.count(".count.over"), 1)
            self.check_quiet()
        finally:
            server.close()

    def test_a_question_for_a_key_can_be_put_off(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text(hashlib.sha256(b"right").hexdigest() + " anna\n")
            server = self.serve("--api-keys", str(keys))
            try:
                self.open(server)
                self.keys("escape")
                self.browser.wait("!document.querySelector('dialog')")
                self.type("ana nipa")
                self.browser.wait("document.querySelector('[role=alert]').textContent.includes('with a key only')")
                self.assertEqual(self.count("dialog"), 0, "nobody who types is interrupted")
                self.press("[role=alert] button")
                self.browser.keys("right", "dialog input")
                self.press("dialog .main")
                self.translated()
            finally:
                server.close()

    def test_the_translation_is_copied(self):
        self.open()
        self.browser.allow("clipboard-read")
        self.type(TEXT)
        self.translated()
        copy = "[aria-label='Copy the translation']"
        self.press(copy)
        self.browser.wait("document.querySelector('[aria-label=Copied]')")
        self.assertEqual(self.browser.run("return navigator.clipboard.readText()"), self.text(".output"))
        self.browser.wait(f"document.querySelector(\"{copy}\")")
        self.browser.run(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
            "document.execCommand = (name) => { window.done = name + document.activeElement.value; }"
        )
        self.press(copy)
        self.browser.wait("window.done")
        self.assertEqual(self.browser.run("return window.done"), "copy" + self.text(".output"))
        self.assertEqual(self.browser.run("return document.activeElement.ariaLabel"), "Copied")
        self.assertEqual(self.count("textarea"), 1)

    def test_languages_without_spaces_have_words(self):
        """A model with a vocabulary of Chinese that was not trained: its words are pieces."""
        with tempfile.TemporaryDirectory() as folder:
            run, corpus = f"{folder}/run", f"{folder}/corpus"
            for command in (
                ["make-corpus", "demo", "--pair", "en-zh", "--size", "1000", "--out", corpus],
                ["train-translate", "--source", f"{corpus}/train.source", "--target", f"{corpus}/train.target"]
                + ["--out", run, "--threads", "1", "--set", "training.max_steps=0"],
            ):
                subprocess.run([self.gloss, *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            server = ServedGloss(self.gloss, "--model", f"zh-de={run}")
            try:
                self.open(server)
                self.choose("#from", "zh")
                self.browser.keys("我们能去花园。", "#source")
                self.translated()
                self.browser.wait("document.querySelectorAll('.copy .word').length > 2")
                words = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
                self.assertEqual("".join(self.browser.run(words, ".copy .word")), "我们能去花园。")
                self.assertGreater(len(self.browser.run(words, WORD)), 1)
                linked = self.browser.run(
                    "const {details, words} = document.querySelector('.unit').sentence;"
                    "const [from, to] = details.alignment[0]; words[to].focus(); return from"
                )
                marked = self.browser.run(
                    "return [...document.querySelectorAll('.copy .word')].map((e) => e.classList.contains('marked'))"
                )
                self.assertTrue(marked[linked])
                self.assertIn(False, marked, "one word is marked, not the sentence")
                self.picture("chinese")
                first = self.text(WORD)
                self.press(WORD, 1)
                self.browser.wait(f"document.querySelectorAll('{ITEMS}').length > 2")
                other = self.text(".menu .choice")
                self.press(ITEMS)
                self.browser.wait(f"document.querySelectorAll('{WORD}[data-doubt]').length > 1")
                self.assertTrue(self.text(".output").startswith(first + other))
                self.assertEqual(self.focused(), other)
                self.check_quiet()
            finally:
                server.close()

    def test_words_of_the_server_take_part_in_choices(self):
        """A sentence of Chinese, and what a server answers about it."""
        self.open()
        self.browser.run(ANSWERS, {
            "v1/score": {"pairs": [{"source_words": ["ana", "nipa"], "alignment": [[0, 0], [1, 2]], "confidence": 0.5,
                "words": [{"text": text, "confidence": 0.3} for text in ("我们", "去", "花园", "。")]}]},
            "v1/alternatives": {"alternatives": [{"word": "在", "text": "我们在花园里。"}]},
        })  # fmt: skip
        self.browser.run(HELD_STREAM)
        self.type("ana nipa")
        self.browser.wait("window.send")
        sentence = {"before": "", "index": 0, "source": "ana nipa", "text": "我们去花园。", "confidence": 0.5}
        self.browser.run("window.send(arguments[0])", event("sentence", **sentence))
        self.browser.wait(f"document.querySelector('{WORD}')")
        self.browser.run(f"document.querySelector('{WORD}').focus()")
        self.browser.run("window.send(arguments[0])", event("done", translatedText="我们去花园。"))
        self.browser.wait(f"document.querySelectorAll('{WORD}').length === 4")
        self.assertEqual(self.focused(), "我们", "the focus stays where it was")
        self.keys("right", "enter")
        self.browser.wait(f"document.querySelector('{ITEMS}').textContent === '在花园里。'")
        self.assertEqual(self.browser.run("return window.sent['v1/alternatives'].prefix"), "我们")
        self.press(ITEMS)
        self.browser.wait("document.querySelector('.output').textContent.startsWith('我们在花园里。')")
        self.assertEqual(self.focused(), "在")

    def test_writing_from_right_to_left(self):
        self.open()
        self.browser.run(HELD_STREAM)
        self.type("ana")
        self.browser.run(
            "const field = document.querySelector('#source'); field.value = 'مرحبا بالعالم\\nana';"
            "field.dispatchEvent(new Event('input'))"
        )
        self.browser.wait("window.send")
        sentence = {"before": "", "index": 0, "source": "ana", "text": "مرحبا بالعالم", "confidence": 0.5}
        self.browser.run("window.send(arguments[0])", event("sentence", **sentence))
        self.browser.wait(f"document.querySelectorAll('{WORD}').length === 2")
        direction = "return getComputedStyle(document.querySelector(arguments[0])).direction"
        for selector in (".copy", "#source", ".output"):
            self.assertEqual(self.browser.run(direction, selector), "rtl", selector)
        self.browser.run(f"document.querySelector('{WORD}').focus()")
        self.keys("left")
        self.assertEqual(self.focused(), "بالعالم")
        self.picture("right_to_left")

    def test_a_long_text_has_words_near_the_screen_only(self):
        self.open()
        self.choose("#from", "en")
        self.browser.run(
            "const field = document.querySelector('#source'); field.value = 'ana nipa. Lemu ratu!\\n'.repeat(1000);"
            "field.dispatchEvent(new Event('input'))"
        )
        self.browser.wait("document.querySelectorAll('.unit').length === 2000", 120)
        self.browser.wait("document.querySelector('.output').ariaBusy === 'false'")
        self.translated()
        self.assertLess(self.count(".unit:has(.word)"), 500)
        self.browser.run("document.querySelector('.unit:last-of-type').scrollIntoView()")
        self.browser.wait("document.querySelector('.unit:last-of-type .word[data-doubt]')")
        self.check_quiet()

    def test_dark_and_light(self):
        theme = "return document.documentElement.dataset.theme"
        self.open(dark=True)
        self.assertEqual(self.browser.run(theme), "dark")
        self.type("ana nipa")
        self.translated()
        self.picture("dark")
        self.press(".tools button:last-child")
        self.assertEqual(self.browser.run(theme), "light")
        self.load()
        self.assertEqual(self.browser.run(theme), "light", "the choice is kept")
        self.browser.show_as(1280, False)
        self.press(".tools button:last-child")
        self.assertEqual(self.browser.run(theme), "dark")

    def test_a_phone_shows_everything_without_scrolling_sideways(self):
        self.open(width=640)  # a screen of 1280 pixels at 200 %
        self.type(TEXT + " " + "x" * 80)
        self.translated()
        self.picture("zoom")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 640)
        self.open(width=360)
        self.type(TEXT + " " + "x" * 80)
        self.translated()
        self.picture("phone")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.press(WORD)
        self.browser.wait(f"document.querySelectorAll('{ITEMS}').length > 2")
        left, right, bottom = self.browser.run(
            "const {left, right, bottom} = document.querySelector('.menu').getBoundingClientRect();"
            "return [left, right, bottom - window.innerHeight]"
        )
        self.assertGreaterEqual(left, 0)
        self.assertLessEqual(right, 360)
        self.assertLessEqual(bottom, 0)
        self.keys("escape")
        small = self.browser.run(
            "return [...document.querySelectorAll('button, select')].filter((e) => e.offsetParent &&"
            "(e.offsetWidth < 40 || e.offsetHeight < 40)).map((e) => e.outerHTML)"
        )
        self.assertEqual(small, [], "buttons are large enough for a finger")
        self.check_quiet()

    def test_every_control_has_a_name_and_can_be_reached(self):
        self.open()
        self.type("ana nipa")
        self.translated()
        nameless = self.browser.run(
            "return [...document.querySelectorAll('button, select, textarea, input:not([hidden])')].filter((e) =>"
            "!e.ariaLabel && !e.textContent.trim() && !(e.labels && e.labels.length)).map((e) => e.outerHTML)"
        )
        self.assertEqual(nameless, [])
        self.browser.run("document.querySelector('.tools button').focus()")
        reached = []
        for _ in range(10):
            self.keys("tab")
            reached.append(self.browser.run("const e = document.activeElement; return e.id || e.ariaLabel || e.className"))
            seen = self.browser.run(
                "const e = document.activeElement; return getComputedStyle(e).outlineStyle !== 'none' ||"
                "getComputedStyle(e.closest('.pane')).boxShadow !== 'none'"
            )
            self.assertTrue(seen, f"the focus is visible on {reached[-1]}")
        self.assertEqual(
            reached,
            ["Translate a file", "Dark colors", "from", "Swap languages", "to", "source", "Clear the text"]
            + ["word marked", "shades", "Copy the translation"],
        )

    def test_control_and_enter_translate_at_once(self):
        self.open()
        self.browser.run("window.setTimeout = () => 0")  # typing alone would wait for ever
        self.type("ana")
        self.browser.keys("\ue009\ue007", "#source")
        self.browser.wait(f"document.querySelector('{WORD}')")

    def test_the_policy_allows_the_page_alone(self):
        self.open()
        with self.browser.opener.open(self.server.url) as answer:
            headers = answer.headers
        policy = headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "same-origin")
        self.browser.run(
            "window.faults = []; document.addEventListener('securitypolicyviolation', (e) => faults.push(e.violatedDirective));"
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}));"
            "fetch('http://127.0.0.1:9/').catch(() => {})"
        )
        self.browser.wait("window.faults.length >= 2")
        self.assertFalse(self.browser.run("return Boolean(window.ran)"))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    TranslatorTest.gloss, TranslatorTest.model = sys.argv[1:3]
    if len(sys.argv) > 3:
        TranslatorTest.pictures = pathlib.Path(sys.argv[3])
        TranslatorTest.pictures.mkdir(parents=True, exist_ok=True)
    try:
        TranslatorTest.browser = Browser(reaches="127.0.0.1")
    except FileNotFoundError as error:
        print(f"translator_test: skipped, {error}")
        sys.exit(77)
    try:
        sys.exit(not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful())
    finally:
        TranslatorTest.browser.close()


if __name__ == "__main__":
    main()
