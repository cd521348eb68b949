"""The plan of the study: names, hashes, hours."""

import dataclasses
import unittest

import made_up  # noqa: F401
import plan


class PlanTest(unittest.TestCase):
    def test_each_name_is_one_setting(self):
        found = {}
        for section in plan.SECTIONS:
            for setting in plan.settings_of(section, multi30k=True):
                self.assertEqual(found.setdefault(setting.name, setting.plan()), setting.plan())

    def test_settings_of_a_section_differ(self):
        for section in plan.SECTIONS:
            plans = [setting.plan() for setting in section.settings]
            self.assertEqual(len(set(plans)), len(plans), section.name)

    def test_budgets_are_equal(self):
        for run in plan.runs(multi30k=True):
            if run.seed:
                keys = run.item.all_keys()
                self.assertEqual(keys["training.max_steps"], plan.UPDATES)
                if run.item.name != "chinese-characters-4096":
                    self.assertEqual(keys["data.batch_tokens"], plan.BASE["data.batch_tokens"])

    def test_the_whole_takes_at_most_15_hours_on_two_processors(self):
        runs = plan.runs(multi30k=True)
        self.assertLessEqual(sum(run.item.minutes for run in runs) / 2, 15 * 60)

    def test_a_run_takes_at_most_8_minutes(self):
        self.assertEqual(plan.MAX_MINUTES, 8)
        self.assertLessEqual(max(run.item.minutes for run in plan.runs(multi30k=True)), plan.MAX_MINUTES)

    def test_costs_are_measured_where_the_measurement_has_the_settings_own_update(self):
        for setting in (plan.base, *plan.scores, *plan.by_pairs, plan.embeddings[1]):
            self.assertTrue(setting.has_costs, setting.name)
        frozen = plan.embeddings[2]
        more = dataclasses.replace(plan.base, keys={"data.batch_tokens": 4096})
        for setting in (frozen, more, plan.on_multi30k(plan.base), *plan.units):
            self.assertFalse(setting.has_costs, setting.name)

    def test_a_plan_depends_on_keys_and_text_alone(self):
        setting = plan.base
        self.assertEqual(dataclasses.replace(setting, title="another", minutes=9, name="x").plan(), setting.plan())
        for change in ({"keys": {"model.heads": 2}}, {"pairs": 1}, {"corpus": "multi30k"}, {"vectors": True},
                       {"searches": ()}, {"averages": ()}):
            self.assertNotEqual(dataclasses.replace(setting, **change).plan(), setting.plan(), change)

    def test_a_run_is_done_with_the_same_plan_only(self):
        run = plan.Run(plan.base, 1)
        self.assertFalse(run.is_done(None))
        self.assertTrue(run.is_done({"plan": plan.base.plan()}))
        self.assertFalse(run.is_done({"plan": "another"}))

    def test_shared_settings_run_once(self):
        names = [run.name for run in plan.runs(seeds=2)]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("base-2", names)
        self.assertNotIn("base-3", names)
        self.assertFalse(any(name.startswith("multi30k") for name in names))
        self.assertIn("multi30k-base-1", [run.name for run in plan.runs(multi30k=True)])

    def test_the_rate_without_warm_up_has_the_same_mean(self):
        peak, warmup = plan.BASE["training.learning_rate"], plan.BASE["training.warmup_steps"]
        rates = [peak * min(step / warmup, (warmup / step) ** 0.5) for step in range(1, plan.UPDATES + 1)]
        self.assertAlmostEqual(sum(rates) / len(rates), plan.NO_WARMUP["training.learning_rate"], places=4)


if __name__ == "__main__":
    unittest.main()
