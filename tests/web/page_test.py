#!/usr/bin/env python3
"""Opens the pages of `gloss explain` in headless Chromium and uses them: page_test.py [PICTURES|- [DOCUMENT.json]...]

Checks that a page reports no error, requests nothing, shows the numbers of its document, keeps markup as text, and
works by keyboard, narrow and wide, light and dark. Writes a picture of each page to the folder PICTURES; - is none.
Documents that are given, written by `gloss explain --json`, are tested, too; if NAME.html lies beside NAME.json, that
page of gloss is opened. Exits with 77 if Chromium is missing.
"""

import json
import pathlib
import random
import sys
import tempfile
import unittest

import page_file
import page_kinds
from page_case import EIGHT_BITS, USE_EVERYTHING, PageCase, number, values
from section_tests import SectionTest
from webdriver import KEYS, Browser


class PageTest(PageCase):
    def test_every_control_of_every_page(self):
        for name in self.documents:
            with self.subTest(name):
                self.open(name)
                used = self.browser.run(USE_EVERYTHING)
                self.assertGreater(used["select"], 0)
                self.check_quiet(name)

    def test_sections_that_have_numbers_are_drawn(self):
        self.open("small")
        self.assertEqual(self.browser.run("return document.querySelectorAll('section').length"), 8)
        absent = self.browser.run(
            "return [...document.querySelectorAll('.absent')].map((each) => each.closest('section').id)"
        )
        self.assertEqual(absent, ["compare"])

    def test_sections_without_numbers_have_a_sentence(self):
        expected = {"quick": ["attention", "decoding", "removal", "compare"], "forced": ["decoding", "compare"]}
        for name, sections in expected.items():
            self.open(name)
            self.assertEqual(
                self.browser.run(
                    "return [...document.querySelectorAll('.absent')].map((each) => each.closest('section').id)"
                ),
                sections,
            )

    def absent(self, name):
        """Opens a page and returns the sections that have a sentence in place of numbers."""
        self.open(name)
        return self.browser.run(
            "return [...document.querySelectorAll('.absent')].map((each) => each.closest('section').id)"
        )

    def test_sections_that_a_network_lacks_have_a_sentence(self):
        self.assertEqual(self.absent("causal"), ["positions"])
        self.assertIn("a learned bias for the distance", self.text("#positions"))
        self.assertIn("sees the positions up to s", self.text("#masks"))
        self.assertIn("softmax(v · tanh(q + k) + bias(s − t)) V", self.text("#attention"))
        self.assertIn("x + sublayer(rms_norm(x))", self.text("#stack"))
        self.assertIn("γ ⊙ part / rms", self.text("#stack"))
        self.assertNotIn("+ positions", self.text("#stack"))
        self.assertEqual(self.absent("no_residual"), ["stack"])
        self.assertIn("Without residual connections", self.text("#stack .absent"))
        self.assertIn("x ← sublayer(x)", self.text("#stack"))
        self.assertIn("no norm, sinusoidal positions, no residual connections", self.text("header"))

    def test_a_recurrent_network_shows_its_attention_and_states(self):
        self.assertEqual(self.absent("recurrent"), ["stack", "stack", "positions"])
        self.assertIn("2 + 2 GRU layers, 4 heads, d_model 64, additive attention", self.text("header"))
        self.assertIn("Before each piece the state of the decoder sends a query", self.text("#attention"))
        weights = self.documents["recurrent"]["items"][0]["maps"][0]["weights"]
        shown = self.cell("attention", "decoder, layer 0, cross-attention, head 0", 1, 2)
        self.assertAlmostEqual(number(shown), values(weights, 0, 1, 2), delta=EIGHT_BITS)
        self.assertIn("h_t = GRU(x_t, h_t−1)", self.text("#stack"))
        self.assertIn("the recurrence gives their order", self.text("#positions"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#masks canvas').length"), 1)
        self.assertIn("decoder.0.cross.3", self.text("#removal"))
        self.assertIn("Cosine of the word's vectors", self.text("#compare"))

    def test_a_network_without_attention_shows_its_states_and_steps(self):
        self.assertEqual(
            self.absent("no_attention"), ["attention", "stack", "stack", "positions", "masks", "removal", "compare"]
        )
        self.assertIn("no attention", self.text("#attention"))
        self.assertIn("no masks", self.text("#masks"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#decoding .step').length"), 6)
        self.assertIn("By source word", self.text("#decoding"))
        self.assertNotIn("By head and layer", self.text("#decoding"))

    def test_a_run_without_attention_shows_its_translations(self):
        text = (
            "const look = structuredClone(gloss.document.runs[0].lens);"
            "look.forEach(({items}) => items.forEach((item) => { item.maps = []; }));"
            "const parts = gloss.runSections[2].render({document: {runs: [{lens: look}]}});"
            "return parts.map((each) => each.textContent).join(' ')"
        )
        self.open("run")
        text = self.browser.run(text)
        self.assertIn("This network has no attention.", text)
        self.assertIn("Ein Hund läuft", text)
        self.assertIn("likeliest tokens", text)
        self.check_quiet("run")

    def check_cells(self, name, item, error):
        """Compares 100 random cells of the attention maps with the document."""
        draw = random.Random(name)
        for _ in range(10):
            each = draw.choice(item["maps"])
            heads, rows, columns = each["weights"]["shape"]
            head = draw.randrange(heads)
            for label, value in (
                ("Attention", f"{each['side']}.{each['kind']}"),
                ("Layer", each["layer"]),
                ("Head", head),
            ):
                self.set("attention", label, value)
            kind = "self-attention" if each["kind"] == "self" else "cross-attention"
            for _ in range(10):
                row, column = draw.randrange(rows), draw.randrange(columns)
                shown = self.cell(
                    "attention", f"{each['side']}, layer {each['layer']}, {kind}, head {head}", row, column
                )
                self.assertAlmostEqual(
                    number(shown), values(each["weights"], head, row, column), delta=error, msg=shown
                )

    def test_cells_equal_the_document(self):
        for payload, error in ((page_file.plain, 6e-4), (page_file.packed, EIGHT_BITS)):
            self.open("small", payload)
            self.check_quiet("small")
            self.check_cells("small", self.documents["small"]["items"][0], error)

    def test_markup_stays_text(self):
        for payload in (page_file.packed, page_file.plain):
            self.open("markup", payload)
            self.assertEqual(
                self.browser.run("return document.querySelectorAll('#page img, #page script, #page b').length"), 0
            )
            self.assertIn("<img src=x onerror=alert(2)>", self.text("header"))
            self.assertIn("runs/<b>bold</b>", self.text("header"))
            self.assertIn("<script>alert(1)</script>", self.text("#stages"))
            self.browser.run(USE_EVERYTHING)
            self.check_quiet("markup")

    def test_keyboard_reads_a_map(self):
        self.open("small")
        canvas = "#attention canvas[role=application]"
        self.browser.keys(KEYS["right"] + KEYS["down"] + KEYS["down"], canvas)
        self.assertIn("→ key 1 “▁little”", self.text("#attention .large .readout"))
        self.assertIn("query 2 “▁klei”, which predicts “nes”", self.text("#attention .large .readout"))
        self.browser.keys(KEYS["end"], canvas)
        self.assertIn("→ key 11 “</s>”", self.text("#attention .large .readout"))

    def test_keyboard_moves_through_the_heads(self):
        self.open("small")
        self.browser.keys(KEYS["right"] + KEYS["down"] + KEYS["enter"], "#attention button.head")
        self.assertIn("encoder.1.self.1", self.text("#attention .large"))

    def test_pointer_reads_a_map(self):
        self.open("small")
        self.browser.run("document.querySelector('#attention .large').scrollIntoView()")
        self.browser.wait("document.querySelector('#attention .large canvas').width > 300")
        x, y, width, height = self.browser.run(
            "const box = document.querySelector('#attention .large canvas').getBoundingClientRect();"
            "return [box.x, box.y, box.width, box.height]"
        )
        self.browser.actions(
            [
                {
                    "type": "pointer",
                    "id": "mouse",
                    "parameters": {"pointerType": "mouse"},
                    "actions": [{"type": "pointerMove", "x": round(x + width - 5), "y": round(y + height - 5)}],
                }
            ]
        )
        self.assertIn("→ key 11 “</s>”", self.text("#attention .large .readout"))
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#attention .lines g:not(.faint)').length"), 1
        )

    def test_curves_zoom_by_dragging_and_hide_runs(self):
        self.open("run")
        self.browser.run("gloss.paintAll()")
        x, y, width = self.browser.run(
            "const box = document.querySelector('#curves canvas').getBoundingClientRect();"
            "return [box.x, box.y, box.width]"
        )
        self.browser.actions(
            [
                {
                    "type": "pointer",
                    "id": "mouse",
                    "parameters": {"pointerType": "mouse"},
                    "actions": [
                        {"type": "pointerMove", "x": round(x + width / 2), "y": round(y + 60)},
                        {"type": "pointerDown", "button": 0},
                        {"type": "pointerMove", "x": round(x + width - 40), "y": round(y + 60)},
                        {"type": "pointerUp", "button": 0},
                    ],
                }
            ]
        )
        low, high = [int(word) for word in self.text("#curves .controls output").split() if word.isdigit()]
        self.assertTrue(1200 < low < 1700 and 2700 < high < 3000, (low, high))
        self.browser.run(
            "[...document.querySelectorAll('#curves button')].find((each) => each.textContent === 'Whole run').click()"
        )
        self.assertEqual(self.text("#curves .controls output"), "the whole run")
        self.browser.keys(KEYS["end"], "#curves canvas")
        runs = self.documents["run"]["runs"]
        for run, kind in ((run, kind) for run in runs for kind in ("training", "validation")):
            self.assertIn(
                f"{run['name']}, {kind}, step 3000: {run[kind]['loss'][-1]:.3f}", self.text("#curves .readout")
            )
        self.browser.run("document.querySelectorAll('#curves input')[1].click()")
        self.assertNotIn("runs/wide, training", self.text("#curves .plots"))

    def test_theme_is_the_systems_or_the_chosen(self):
        self.browser.show_as(1280, True)
        self.open("small")
        self.assertEqual(self.browser.run("return gloss.theme()"), "dark")
        self.set("", "Colors", "light")
        self.assertEqual(self.browser.run("return gloss.theme()"), "light")
        self.assertEqual(
            self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(252, 252, 247)"
        )

    def test_narrow_screen_does_not_scroll_sideways(self):
        for name in ("small", "several", "chinese", "markup", "large", "run"):
            self.browser.show_as(360, False, 740)
            self.open(name)
            self.browser.run("gloss.paintAll()")
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), 360, name)
            self.check_quiet(name)

    def test_page_that_cannot_be_read_reports_why(self):
        for document in ({"format": "gloss.explanation", "version": 2}, {"format": "other", "version": 1}):
            path = self.folder / "unreadable.html"
            path.write_text(page_file.page(document, page_file.plain))
            self.browser.open(path.as_uri())
            self.browser.wait("document.querySelector('#page').dataset.ready !== undefined")
            self.assertIn("could not be read", self.text("#page"))
        self.browser.logs()

    def test_given_documents(self):
        for name, document in self.given.items():
            with self.subTest(name):
                self.open(name)
                self.assertEqual(self.browser.run("return gloss.document.format"), document["format"])
                if document["format"] == "gloss.explanation" and document["items"][0].get("maps"):
                    self.check_cells(name, document["items"][0], EIGHT_BITS)
                self.browser.run(USE_EVERYTHING)
                self.check_quiet(name)
                self.assertNotIn("could not be drawn", self.text("#page"))

    def test_pictures(self):
        if not self.pictures:
            self.skipTest("no folder for pictures was given")
        for name in self.documents:
            for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
                self.browser.show_as(width, dark)
                self.open(name)
                self.browser.run("gloss.paintAll()")
                self.browser.picture(self.pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png")
            self.check_quiet(name)


def main():
    arguments = [pathlib.Path(argument) for argument in sys.argv[1:]]
    for path in arguments[1:]:
        PageCase.given[path.stem] = json.loads(path.read_text())
        if path.with_suffix(".html").exists():
            PageCase.given_pages[path.stem] = path.with_suffix(".html").resolve()
    PageCase.documents = page_kinds.all_documents() | PageCase.given
    if arguments and arguments[0].name != "-":
        PageCase.pictures = arguments[0]
        PageCase.pictures.mkdir(parents=True, exist_ok=True)
    try:
        PageCase.browser = Browser()
    except FileNotFoundError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    with tempfile.TemporaryDirectory() as folder:
        PageCase.folder = pathlib.Path(folder)
        try:
            tests = unittest.TestSuite([load(PageTest), load(SectionTest)])
            result = unittest.TextTestRunner(verbosity=2).run(tests)
        finally:
            PageCase.browser.close()
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
