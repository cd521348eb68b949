"""The base of the tests of pages: opening a page, reading its numbers, setting its controls."""

import json
import unittest

import page_file

USE_EVERYTHING = """
// Uses every control of the page once with each of a few values, and returns how many there were.
const used = {select: 0, input: 0, button: 0, canvas: 0};
const fire = (element, type) => element.dispatchEvent(new Event(type, {bubbles: true}));
// A change may redraw the controls beside it, so the list is taken anew and the index counts on.
for (let i = 0; ; ++i) {
  const list = document.querySelectorAll("#page select")[i];
  if (!list) break;
  const before = list.value;
  const values = [...list.options].map((option) => option.value);
  for (const value of [...values.slice(0, 3), values[values.length - 1], before]) {
    const now = document.querySelectorAll("#page select")[i];
    if (!now || ![...now.options].some((option) => option.value === value)) continue;
    now.value = value;
    fire(now, "change");
  }
  ++used.select;
}
for (let i = 0; ; ++i) {
  const input = document.querySelectorAll("#page input")[i];
  if (!input) break;
  ++used.input;
  if (input.type === "checkbox") {
    input.click();
    document.querySelectorAll("#page input")[i].click();
    continue;
  }
  const before = input.value;
  for (const value of [input.min, input.max, before]) {
    const now = document.querySelectorAll("#page input")[i];
    now.value = value;
    fire(now, "input");
  }
}
for (const button of [...document.querySelectorAll("#page button")].slice(0, 400)) {
  button.click();
  ++used.button;
}
gloss.paintAll();
for (const canvas of document.querySelectorAll("#page canvas[tabindex]")) {
  canvas.focus();
  for (const key of ["ArrowRight", "ArrowDown", "End", "Home", "Enter"]) {
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  }
  ++used.canvas;
}
return used;
"""

# Sets a control, found by the text of its label.
SET = """
const labels = [...document.querySelectorAll(arguments[0] + " label")];
const label = labels.find((each) => each.querySelector("span").textContent === arguments[1]);
const control = label.querySelector("select, input");
control.value = arguments[2];
control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", {bubbles: true}));
"""

# Text of a map's status line after the cursor was put on a cell: the map with this label, row, column.
READ_CELL = """
const canvas = document.querySelector(`${arguments[0]} canvas[aria-label="${arguments[1]}"]`);
const map = canvas.closest(".map");
gloss.paintAll();
map.show(arguments[2], arguments[3]);
return map.querySelector(".readout").textContent;
"""


def number(text):
    """Reads the last number of a text of the page."""
    return float(text.replace("−", "-").rstrip(".").split()[-1])


def values(array, *indices):
    """Reads a value of an array of the document."""
    at = 0
    for size, index in zip(array["shape"], indices):
        at = at * size + index
    return array["values"][at]


EIGHT_BITS = 5e-3 + 2e-3  # largest error of an 8-bit weight: it is shown with two digits and known to 1/510


class PageCase(unittest.TestCase):
    """Tests share one browser, the documents by name, and a folder for their pages."""

    browser = None
    documents = {}
    folder = None
    pictures = None  # folder, or None
    given = {}  # documents of the command line, by name, and the pages that gloss wrote of them
    given_pages = {}

    def setUp(self):
        self.browser.show_as(1280, False)

    def open(self, name, payload=page_file.packed):
        path = self.given_pages.get(name, self.folder / f"{name}.html")
        if name not in self.given_pages:
            path.write_text(page_file.page(self.documents[name], payload, title=f"gloss explain: {name}"))
        self.browser.logs()
        self.browser.logs("performance")
        self.browser.open(path.as_uri())
        self.browser.wait(
            "document.querySelector('#page') && document.querySelector('#page').dataset.ready !== undefined"
        )

    def check_quiet(self, name):
        """Expects an empty console and no request but for the file itself."""
        problems = [entry["message"] for entry in self.browser.logs()]
        self.assertEqual(problems, [], name)
        self.assertEqual(
            self.browser.run("return performance.getEntriesByType('resource').map((each) => each.name)"), [], name
        )
        requests = [json.loads(entry["message"])["message"] for entry in self.browser.logs("performance")]
        urls = [
            entry["params"]["request"]["url"] for entry in requests if entry["method"] == "Network.requestWillBeSent"
        ]
        self.assertEqual([url for url in urls if not url.startswith(("file:///", "data:"))], [], name)

    def cell(self, section, name, row, column):
        return self.browser.run(READ_CELL, f"#{section}", name, row, column)

    def set(self, section, label, value):
        self.browser.run(SET, f"#{section}" if section else "header", label, str(value))

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)
