#!/usr/bin/env python3
"""Opens an annotated page in headless Chromium: page_test.py PAGE.html [PICTURES]

Checks that the page loads nothing, reports no error, has every figure, every listing and only links that lead
somewhere, fits a narrow and a wide screen, and follows the system's theme. Writes pictures of it to the folder
PICTURES. Exits with 77 if Chromium is missing.
"""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "web"))
from webdriver import Browser  # noqa: E402

WIDER = """
// Elements that stand out of the page and cannot be scrolled by themselves.
return [...document.querySelectorAll("body *")].filter((element) => {
  if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let each = element; each; each = each.parentElement) {
    if (getComputedStyle(each).overflowX !== "visible") return false;
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 120));
"""


class AnnotatedPageTest(unittest.TestCase):
    browser = None
    page = None
    pictures = None

    def open(self, width=1280, dark=False):
        self.browser.show_as(width, dark)
        self.browser.logs()
        self.browser.logs("performance")
        self.browser.open(self.page.as_uri())

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def test_nothing_is_loaded_and_no_error_is_reported(self):
        self.open()
        self.assertEqual([entry["message"] for entry in self.browser.logs()], [])
        requests = [json.loads(entry["message"])["message"] for entry in self.browser.logs("performance")]
        urls = [
            entry["params"]["request"]["url"] for entry in requests if entry["method"] == "Network.requestWillBeSent"
        ]
        self.assertEqual([url for url in urls if not url.startswith(("file:///", "data:"))], [])

    def test_every_directive_became_a_part_of_the_page(self):
        self.open()
        directives = {"code": 0, "test": 0, "figure": 0}
        for path in (ROOT / "docs" / "annotated").glob("*.md"):
            for kind in re.findall(r"^\{\{(\w+) .+\}\}$", path.read_text(), re.MULTILINE):
                directives[kind] = directives.get(kind, 0) + 1
        self.assertEqual(self.count("div.code"), directives["code"])
        self.assertEqual(self.count("details.test"), directives["test"])
        self.assertEqual(self.count("figure"), directives["figure"])
        self.browser.run("document.querySelectorAll('pre').forEach((each) => each.remove())")  # C++ has {{, too
        self.assertEqual(self.browser.run("return document.body.innerHTML.match(/{{|\\bnan\\b|NaN|data-block/)"), None)

    def test_listings_are_the_sources(self):
        self.open()
        shown = self.browser.run(
            "return [...document.querySelectorAll('div.code pre')].map((each) => each.textContent)"
        )
        places = self.browser.run("return [...document.querySelectorAll('div.code .place')].map((e) => e.textContent)")
        for text, place in zip(shown, places):
            file, line = place.split(":")
            lines = (ROOT / file).read_text().split("\n")[int(line) - 1 :]
            first = text.strip().split("\n")
            self.assertEqual([each.strip() for each in first], [each.strip() for each in lines[: len(first)]], place)

    def test_every_link_leads_to_a_part_of_the_page(self):
        self.open()
        lost = self.browser.run(
            "return [...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))"
            ".filter((each) => !each.startsWith('#') || !document.getElementById(each.slice(1)))"
        )
        self.assertEqual(lost, [])
        self.assertEqual(
            self.browser.run(
                "const ids = [...document.querySelectorAll('[id]:not(marker)')].map((each) => each.id);"
                "return ids.filter((each, index) => ids.indexOf(each) !== index)"
            ),
            [],
        )

    def test_tests_unfold(self):
        self.open()
        height = "return document.querySelector('details.test').getBoundingClientRect().height"
        before = self.browser.run(height)
        self.browser.run("document.querySelector('details.test summary').click()")
        self.assertGreater(self.browser.run(height), before + 50)

    def test_text_of_a_translation_stays_text(self):
        self.open()
        self.assertEqual(self.count("figure b"), 0)

    def test_page_fits_narrow_and_wide_screens(self):
        for width in (360, 768, 1280, 1920):
            self.open(width)
            self.browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            self.assertEqual(self.browser.run(WIDER), [], width)
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)

    def test_theme_is_the_systems(self):
        colors = set()
        for dark in (False, True):
            self.open(dark=dark)
            colors.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(colors, {"rgb(252, 252, 247)", "rgb(20, 23, 27)"})

    def test_pictures(self):
        if not self.pictures:
            self.skipTest("no folder for pictures was given")
        self.pictures.mkdir(parents=True, exist_ok=True)
        for width, dark in ((1280, False), (360, True)):
            self.open(width, dark)
            self.browser.picture(self.pictures / f"annotated-{width}-{'dark' if dark else 'light'}.png")


def main():
    AnnotatedPageTest.page = pathlib.Path(sys.argv[1]).resolve()
    AnnotatedPageTest.pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    try:
        AnnotatedPageTest.browser = Browser()
    except FileNotFoundError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    try:
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(AnnotatedPageTest)
        result = unittest.TextTestRunner(verbosity=2).run(tests)
    finally:
        AnnotatedPageTest.browser.close()
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
