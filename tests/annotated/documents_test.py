#!/usr/bin/env python3
"""Tests that definitions in C++ are found by their names, and that a wrong name in a document is a fault."""

import json
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "annotated"))
import build_page  # noqa: E402
import cpp_source  # noqa: E402
import sources  # noqa: E402

SOURCE = """#include "a.h"
#define OPEN {

namespace gloss {
namespace {

constexpr int kTable[] = {1, 2};  // a variable with braces

}  // namespace

// Adds one; the text "}" and '{' are no braces.
int add(int x) {
  const char* brace = "}";  // }
  return x + 1'000 * (*brace == '{');
}
double add(double x, std::vector<int> = {}) { return x + 1; }

/// A part.
class Part : public Base {
 public:
  Part(int size) : size_{size}, values_(2) { fill({1, 2}); }
  /// Returns the size.
  int size() const;
  bool operator()(int x) const { return x > 0; }

 private:
  int size_ = 0;
};

int Part::size() const { return size_; }

TEST_P(PartTest, IsWhole) {
  EXPECT_EQ(1, 1);
}

}  // namespace gloss
"""


class CppSourceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "part.cpp"
        self.path.write_text(SOURCE)

    def test_a_function_is_whole_with_its_comment(self):
        found = cpp_source.find(self.path, "add(int x)")
        self.assertTrue(found.text.startswith("// Adds one"))
        self.assertTrue(found.text.endswith("== '{');\n}"))
        self.assertEqual((found.first, found.last), (11, 15))

    def test_overloads_need_a_part_of_the_parameters(self):
        with self.assertRaisesRegex(cpp_source.Missing, "2 definitions of add, in lines 11, 16"):
            cpp_source.find(self.path, "add")
        self.assertIn("double x", cpp_source.find(self.path, "add(double)").text)

    def test_a_definition_comes_before_a_declaration(self):
        self.assertEqual(cpp_source.find(self.path, "Part::size").text, "int Part::size() const { return size_; }")

    def test_a_class_has_its_members_and_comment(self):
        found = cpp_source.find(self.path, "Part")
        self.assertEqual(found.kind, "class")
        self.assertTrue(found.text.startswith("/// A part.") and found.text.endswith("};"))

    def test_initializers_with_braces_belong_to_the_constructor(self):
        found = cpp_source.find(self.path, "Part::Part")
        self.assertTrue(found.text.endswith("{ fill({1, 2}); }"))

    def test_the_call_operator_has_a_name(self):
        self.assertIn("x > 0", cpp_source.find(self.path, "Part::operator()").text)

    def test_a_missing_name_is_refused(self):
        for name in ("kTable", "subtract", "add(char)", "Part::add"):
            with self.assertRaisesRegex(cpp_source.Missing, "has no"):
                cpp_source.find(self.path, name)

    def test_tests_are_found_by_suite_and_name(self):
        self.assertIn("EXPECT_EQ", cpp_source.find_test(self.path, "PartTest.IsWhole").text)
        with self.assertRaisesRegex(cpp_source.Missing, "no test PartTest.Is"):
            cpp_source.find_test(self.path, "PartTest.Is")

    def test_every_source_of_the_project_can_be_read(self):
        for folder in ("model", "training", "decoding", "examples", "tests/model"):
            for path in (ROOT / folder).rglob("*.[ch]*"):
                if path.suffix in (".h", ".cpp"):
                    cpp_source.definitions(path)


def made_up_sources(items=({"text": "a", "target": {"text": "b", "pieces": [{"piece": "b"}]}, "maps": []},)):
    """Returns Sources whose programs print made-up numbers."""
    printed = {
        "annotated_figures": {"rates": [{"peak": 0.5}], "weights": {"embedding": 1.0}},
        "gloss": {"models": [{"config": {"heads": 4}, "parameters": 10}], "items": list(items)},
    }

    def output(program, *_):
        name = pathlib.Path(program).name
        return json.dumps(printed[name]) if name in printed else ""

    with mock.patch.object(sources, "output", output):
        return sources.Sources("gloss", pathlib.Path("examples"), "model", None, ["a"])


class DocumentTest(unittest.TestCase):
    def faults(self, text, numbers=None):
        """Returns the faults of a document, with `numbers` those of its page."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "document.md"
            path.write_text(text)
            page = build_page.Page(numbers)
            page.read(path)
            return page.faults

    def test_a_name_that_does_not_exist_is_a_fault_with_its_line(self):
        for directive, reason in (
            ("code model/attention.cpp no_such_function", "model/attention.cpp has no no_such_function"),
            ("code model/no_such_file.cpp attention", "No such file"),
            ("test AttentionTest.NoSuchTest", "no test AttentionTest.NoSuchTest"),
            ("figure no_such_figure", "there is no figure no_such_figure"),
            ("excerpt model/README.md No such heading", "no table or list below a heading No such heading"),
            ("excerpt model/no_such_file.md Letters", "No such file"),
            ("no_such_directive x", "no such directive"),
        ):
            (fault,) = self.faults("# Title\n\n{{" + directive + "}}\n")
            self.assertIn("document.md:3: ", fault)
            self.assertIn(reason, fault)

    def test_a_value_that_does_not_exist_is_a_fault_with_its_line(self):
        good = "One {{value figures.weights.embedding .2f}},\ntwo {{value model.parameters ,}}.\n"
        self.assertEqual(self.faults(good), [])
        for name in ("figures.no_such_key", "no_such_root.weights", "figures", "model.weights .2f"):
            (fault,) = self.faults(good + "\n{{value model.parameters ,}} and {{value " + name + "}}\n")
            self.assertIn("document.md:4: ", fault)
            self.assertIn("there is no value " + name.split()[0], fault)
        (fault,) = self.faults("{{value model.parameters no_such_format}}\n")
        self.assertIn("document.md:1: {{value model.parameters no_such_format}}: ", fault)

    def test_a_deeper_value_that_does_not_exist_is_a_fault_of_the_page(self):
        numbers = made_up_sources()
        for name in ("figures.rates.1.peak", "figures.rates.peak", "figures.weights.matrix", "model.config.heads.x"):
            (fault,) = self.faults("Title\n\n{{value " + name + "}} is a number\n", numbers)
            self.assertIn("document.md:3: {{value " + name + "}}: there is no value " + name, fault)
        self.assertEqual(self.faults("{{value figures.rates.0.peak .1f}}, {{value model.config.heads}}\n", numbers), [])

    def test_the_first_keys_of_values_are_those_of_their_sources(self):
        program = (ROOT / "examples" / "annotated_figures.cpp").read_text()
        made = re.findall(r'\{"(\w+)", \w+\(\)\}', program[program.index("int main"):])
        made += re.findall(r'figures\["(\w+)"\]', program)
        self.assertEqual(sources.FIRST_KEYS["figures"], set(made))
        form = (ROOT / "docs" / "explanation_format.md").read_text()
        of_model = form[form.index("## A model"):]
        rows = of_model[: of_model.index("\n\n", of_model.index("|---"))].split("|---|---|\n")[1]
        keys = [key for row in rows.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])]
        self.assertEqual(sources.FIRST_KEYS["model"], set(keys))

    def test_a_fault_after_a_value_has_its_own_line(self):
        (fault,) = self.faults("{{value figures.weights.embedding .2f}}\n" + "{{figure masks}}\n{{figure none}}\n")
        self.assertIn("document.md:3: ", fault)

    def test_a_model_without_attention_has_a_page(self):
        numbers = made_up_sources()
        self.assertEqual([item["maps"] for item in numbers.items], [[]])
        for name in ("cross_attention", "heads", "translations"):
            self.assertIn("has no attention", build_page.FIGURES[name](numbers))

    def test_a_model_that_translates_nothing_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "translates none of the sentences"):
            made_up_sources(items=[{"text": "a", "target": {"text": "", "pieces": []}}])

    def test_a_path_that_does_not_exist_is_a_fault(self):
        (fault,) = self.faults("See `model/no_such_file.h` and `model/attention.h`.\n")
        self.assertIn("there is no model/no_such_file.h", fault)

    def test_a_command_or_a_change_that_is_out_of_date_is_a_fault(self):
        good = "`--set model.heads=1`\n\n```diff\n-  return kept.matmul(value);\n+  return kept;\n```\n"
        self.assertEqual(self.faults(good), [])
        (fault,) = self.faults(good.replace("heads", "no_such_key"))
        self.assertIn("no key no_such_key", fault)
        (fault,) = self.faults(good.replace("kept.matmul", "lost.matmul"))
        self.assertIn("has the line return lost.matmul(value);", fault)

    def test_an_excerpt_is_the_first_table_or_list_below_its_heading(self):
        document = "# A\n\nText.\n\n- see [b.h](b.h),\n  then stop\n- one\n\n- two\n\n## B\n\n| x |\n|---|\n| y |\n\n## C\n"
        self.assertEqual(build_page.excerpt(document, "A"), "- see `b.h`,\n  then stop\n- one")
        self.assertEqual(build_page.excerpt(document, "B"), "| x |\n|---|\n| y |")
        self.assertIsNone(build_page.excerpt(document, "C"))
        self.assertIsNone(build_page.excerpt(document, "D"))

    def test_losses_of_the_copy_task_are_read(self):
        form = "update %3d: %.4f nats a token"
        self.assertIn(f'"{form}\\n"', (build_page.ROOT / "examples" / "copy_task.cpp").read_text())
        text = form % (20, 2.5) + "\n" + form % (1500, 0.0001) + "\n64 of 64 copies are exact\n"
        expected = ([20, 1500], [2.5, 0.0001], "64 of 64 copies are exact")
        self.assertEqual(sources.read_copy_task(text), expected)

    def test_names_that_exist_are_no_fault(self):
        self.assertEqual(self.faults("{{code model/attention.cpp attention}}\n{{figure masks}}\n"), [])


if __name__ == "__main__":
    unittest.main()
