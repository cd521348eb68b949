"""Tables and pictures from made-up results: the rule of the spread, missing runs, and no training."""

import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import made_up
import pictures
import plan
import tables
from results import Figures, Results, difference


class SpreadTest(unittest.TestCase):
    def test_a_difference_above_both_spreads_counts(self):
        base = Figures((70.0, 71.0, 70.5))
        self.assertAlmostEqual(difference(Figures((72.0, 72.4, 72.2)), base), 1.7)
        self.assertAlmostEqual(difference(Figures((68.0, 68.4, 68.2)), base), -2.3)

    def test_a_difference_within_either_spread_is_none(self):
        wide, narrow = Figures((69.0, 73.0, 71.0)), Figures((69.0, 69.1, 69.2))
        self.assertEqual(difference(narrow, wide), 0.0)
        self.assertEqual(difference(wide, narrow), 0.0)

    def test_a_difference_as_large_as_the_spread_is_none(self):
        self.assertEqual(difference(Figures((71.0, 72.0)), Figures((70.0, 71.0))), 0.0)

    def test_one_seed_decides_nothing(self):
        self.assertIsNone(difference(Figures((90.0,)), Figures((10.0, 11.0))))


class TablesTest(unittest.TestCase):
    def rows(self, text):
        return {line.split(" | ")[0].lstrip("| "): line for line in text.splitlines()[2:]}

    def test_a_settings_table_has_means_ranges_and_differences(self):
        folder, results = made_up.folder_with(
            made_up.three_seeds(plan.base, 70, 71, 72) + made_up.three_seeds(plan.scores[1], 60, 61, 62) +
            made_up.three_seeds(plan.scores[2], 71, 72, 73))
        with folder:
            rows = self.rows(tables.TABLES["scores"](results))
        self.assertIn("| 71.00 [70.00, 72.00] |  |", rows["scaled dot product `base`"])
        self.assertIn("| 61.00 [60.00, 62.00] | -10.00 |", rows["dot product, not scaled `dot`"])
        self.assertIn("| 72.00 [71.00, 73.00] | none |", rows["general, q W k `general`"])
        self.assertIn("| 9,000 [9,000, 9,000] | 3,000 [3,000, 3,000] | 32.0 | 0.79 |", rows["general, q W k `general`"])
        self.assertIn("| not run yet |", rows["additive `additive`"])

    def test_settings_whose_update_is_not_measured_have_no_columns_of_costs(self):
        for name, columns in (("scores", 9), ("units", 5), ("embeddings", 5)):
            folder, results = made_up.folder_with(made_up.three_seeds(tables.SECTIONS[name].settings[0], 70, 71, 72))
            with folder:
                header, _, first = tables.TABLES[name](results).splitlines()[:3]
            self.assertEqual(header.count("|"), columns + 1, name)
            self.assertEqual("9,000" in first, columns == 9, name)

    def test_a_result_of_another_plan_does_not_count(self):
        stale = made_up.three_seeds(plan.base, 70, 71, 72, plan="another")
        folder, results = made_up.folder_with(stale)
        with folder:
            self.assertIn("not run yet", self.rows(tables.TABLES["scores"](results))["scaled dot product `base`"])

    def test_seeds_may_be_missing_and_names_may_begin_alike(self):
        folder, results = made_up.folder_with(
            [made_up.result_of(plan.recurrent[1], 2, 60.0), made_up.result_of(plan.by_pairs[4], 1, 10.0)])
        with folder:
            self.assertEqual([result["bleu"] for result in results.of(plan.recurrent[1])], [60.0])
            row = self.rows(tables.TABLES["recurrent"](results))[f"{plan.recurrent[1].title} `recurrent`"]
        self.assertIn("| 60.00 (one seed) |", row)

    def test_a_diverged_run_is_counted(self):
        post = plan.norm_places_shallow[3]
        diverged = {"run": f"{post.name}-3", "plan": post.plan(), "diverged": True}
        folder, results = made_up.folder_with(
            made_up.three_seeds(plan.base, 70, 71, 72) + made_up.three_seeds(post, 10, 11) + [diverged])
        with folder:
            row = self.rows(tables.TABLES["norm-places"](results))[f"{post.title} `{post.name}`"]
        self.assertIn("10.50 [10.00, 11.00] diverged: 1 of 3", row)

    def test_every_table_is_made_without_results_and_with_all(self):
        everything = [result for run in plan.runs(multi30k=True) if run.seed
                      for result in [made_up.result_of(run.item, run.seed, 50 + run.seed, bleu_of_average={"5": 60.0},
                                                       bleu_of_search={"5, 0.0": 61.0})]]
        for given in ([], everything):
            folder, results = made_up.folder_with(given)
            with folder:
                for name, table in tables.TABLES.items():
                    lines = table(results).splitlines()
                    self.assertEqual(len({line.count("|") for line in lines}), 1, name)
                    for line in lines:
                        self.assertLessEqual(max(map(len, line.split("|"))), 102, line)
                drawn = [picture for picture in (make(results) for make in pictures.PICTURES.values()) if picture]
                self.assertEqual(len(drawn), 4 if given else 0)
                for picture in drawn:
                    xml.etree.ElementTree.fromstring(picture)

    def test_the_picture_of_deep_networks_has_no_others(self):
        section = tables.SECTIONS["norm-places"].settings
        folder, results = made_up.folder_with(
            [result for setting in section for result in made_up.three_seeds(setting, 70, 71, 72)])
        with folder:
            drawn = xml.etree.ElementTree.fromstring(pictures.PICTURES["norm-places"](results))
        texts = [element.text for element in drawn.iter() if element.tag.endswith("}text")]
        deep = [setting.title for setting in section if setting.keys.get("model.encoder_layers") == 6]
        self.assertEqual(len(deep), 4)
        self.assertEqual([text for text in texts if "-norm" in text], deep)

    def test_searches_are_compared_with_the_first_one(self):
        found = {f"{beam}, {penalty}": 60.0 for beam, penalty in plan.base.searches} | {"5, 1.0": 62.0}
        folder, results = made_up.folder_with(made_up.three_seeds(plan.base, 60, 60, 60, bleu_of_search=found))
        with folder:
            lines = tables.TABLES["search"](results).splitlines()[2:]
        self.assertEqual(lines[0], "| 1 | 1 | 60.00 [60.00, 60.00] |  | not run yet |  |")
        self.assertEqual(lines[1], "| 2 | 1 | 60.00 [60.00, 60.00] | none | not run yet |  |")
        self.assertEqual(lines[2], "| 5 | 1 | 62.00 [62.00, 62.00] | +2.00 | not run yet |  |")

    def test_pairs_stand_beside_their_architecture(self):
        settings = {setting.name: setting for setting in plan.by_pairs}
        folder, results = made_up.folder_with(
            made_up.three_seeds(settings["transformer-500"], 20, 21, 22) +
            made_up.three_seeds(settings["recurrent-500"], 30, 31, 32))
        with folder:
            rows = self.rows(tables.TABLES["pairs"](results))
        self.assertEqual(rows["500"], "| 500 | 21.00 [20.00, 22.00] | 31.00 [30.00, 32.00] | +10.00 | not run yet |  |")


class PageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page_file = pathlib.Path(self.folder.name) / "study.md"
        self.results = Results(pathlib.Path(self.folder.name) / "study")
        self.page = tables.Page(self.page_file, self.results)

    def test_the_text_around_tables_stays(self):
        self.page_file.write_text("before\n<!-- table rates -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
        self.page.write()
        text = self.page_file.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("before\n<!-- table rates -->\n| (d_model, warm-up) |"))
        self.assertTrue(text.endswith("\n<!-- end -->\nafter\n"))
        self.assertNotIn("old", text)
        self.assertEqual(self.page.check(), 0)

    def test_a_table_that_differs_from_the_results_is_found(self):
        self.page_file.write_text("<!-- table orders -->\n<!-- end -->\n", encoding="utf-8")
        self.page.write()
        self.assertEqual(self.page.check(), 0)
        for result in made_up.three_seeds(plan.base, 1, 2, 3):
            self.results.write(result["run"], result)
        self.assertEqual(self.page.check(), 1)

    def test_a_picture_without_a_result_is_no_file(self):
        self.page_file.write_text("<!-- picture positions: BLEU -->\n<!-- end -->\nafter\n", encoding="utf-8")
        drawn = self.results.folder / "positions.svg"
        drawn.parent.mkdir()
        drawn.write_text("<svg/>", encoding="utf-8")
        self.assertEqual(self.page.check(), 1)
        self.page.write()
        self.assertFalse(drawn.exists())
        self.assertEqual(self.page_file.read_text(encoding="utf-8"),
                         "<!-- picture positions: BLEU -->\n*BLEU: not run yet*\n<!-- end -->\nafter\n")
        self.assertEqual(self.page.check(), 0)
        for result in made_up.three_seeds(plan.base, 60, 61, 62):
            self.results.write(result["run"], result)
        self.assertEqual(self.page.check(), 1)
        self.page.write()
        self.assertTrue(drawn.exists())
        self.assertIn("-->\n![BLEU](study/positions.svg)\n<!-- end -->\n", self.page_file.read_text(encoding="utf-8"))
        self.assertEqual(self.page.check(), 0)

    def test_an_unknown_table_or_picture_is_an_error(self):
        for kind in ("table nothing", "picture nothing: title"):
            self.page_file.write_text(f"<!-- {kind} -->\n<!-- end -->\n", encoding="utf-8")
            with self.assertRaises(KeyError):
                self.page.files()

    def test_the_page_has_every_table_and_picture(self):
        text = (made_up.ROOT / "docs/study.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(found[1] for found in tables.MARKED.findall(text)), sorted(tables.TABLES))
        self.assertEqual(sorted(found[1] for found in tables.MARKED_PICTURE.findall(text)), sorted(pictures.PICTURES))


if __name__ == "__main__":
    unittest.main()
