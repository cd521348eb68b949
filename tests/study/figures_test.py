"""study_figures PROGRAM on small sizes: each figure has the value that theory gives."""

import json
import math
import subprocess
import sys
import unittest

import made_up  # noqa: F401
import plan

PROGRAM = sys.argv.pop(1)
MODEL = json.dumps({"encoder_layers": 2, "decoder_layers": 2, "d_model": 16, "d_ff": 32, "heads": 2})


def figure(*arguments):
    return json.loads(subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout)


class FiguresTest(unittest.TestCase):
    def test_scaling_keeps_the_variance_at_one(self):
        rows = {(row["scaled"], row["d_k"]): row for row in figure("scores", "--widths", "4,64")["rows"]}
        for width in (4, 64):
            self.assertAlmostEqual(rows[True, width]["variance"], 1, delta=0.1)
            self.assertAlmostEqual(rows[False, width]["variance"] / width, 1, delta=0.1)
            self.assertLess(rows[True, width]["entropy"], math.log(64))
        self.assertLess(rows[False, 64]["entropy"], rows[True, 64]["entropy"] / 2)
        self.assertLess(rows[False, 64]["gradient"], rows[True, 64]["gradient"] / 2)
        self.assertLess(rows[False, 64]["median_gradient"], rows[True, 64]["median_gradient"] / 100)

    def test_every_layer_has_a_gradient(self):
        rows = figure("gradients", "--depths", "1,3", "--model", MODEL)["rows"]
        self.assertEqual([row["depth"] for row in rows], [1, 3])
        for row in rows:
            self.assertEqual([len(row["encoder"]), len(row["decoder"])], [row["depth"]] * 2)
            self.assertTrue(all(norm > 0 for norm in row["encoder"] + row["decoder"]))

    def test_every_network_of_the_plan_has_gradients(self):
        sections = {json.dumps(run.item.model_section()) for run in plan.runs(seeds=1) if run.seed}
        for section in sorted(sections):
            rows = figure("gradients", "--depths", "1", "--model", section)["rows"]
            self.assertGreater(min(rows[0]["encoder"] + rows[0]["decoder"]), 0, section)

    def test_memory_of_attention_grows_with_the_square_of_the_length(self):
        rows = figure("lengths", "--lengths", "128,256,512", "--repeat", "1", "--model", MODEL)["rows"]
        attention, feed_forward = ([row[part]["bytes"] for row in rows] for part in ("attention", "feed_forward"))
        self.assertAlmostEqual(attention[2] / attention[1], 4, delta=0.4)
        self.assertAlmostEqual((feed_forward[2] - feed_forward[1]) / (feed_forward[1] - feed_forward[0]), 2, delta=0.1)

    def test_searches_with_and_without_the_cache_are_equal(self):
        rows = figure("decoding", "--lengths", "1,9", "--repeat", "1", "--model", MODEL)["rows"]
        for row in rows:
            self.assertTrue(row["equal"])
            self.assertLess(row["difference"], 1e-5)

    def test_an_update_is_measured(self):
        costs = figure("updates", "--updates", "1", "--batch-tokens", "48", "--model", MODEL)
        # 1,000 pieces; per layer of the encoder 4 maps and the feed-forward, of the decoder 8 maps; norms.
        square, feed, norm = 16 * 17, 32 * 17 + 16 * 33, 32
        expected = 1000 * 16 + 1000 + 2 * (4 * square + feed + 2 * norm) + 2 * (8 * square + feed + 3 * norm) + 2 * norm
        self.assertEqual(costs["parameters"], expected)
        self.assertGreater(costs["plain_bytes"], 48 * 1000 * 4)
        self.assertGreater(min(costs["tokens_per_second"], costs["plain_tokens_per_second"]), 0)

    def test_smoothing_spreads_epsilon(self):
        found = figure("smoothing", "--vocabulary", "5", "--epsilon", "0.4")
        for share, expected in zip(found["distribution"], (0.08, 0.68, 0.08, 0.08, 0.08)):
            self.assertAlmostEqual(share, expected)
        least = min(found["rows"], key=lambda row: row["smoothed"])
        self.assertAlmostEqual(least["probability"], 0.68, delta=0.02)
        self.assertAlmostEqual(found["rows"][0]["smoothed"], math.log(5))

    def test_noam_has_its_highest_rate_at_the_end_of_the_warm_up(self):
        for curve in figure("rates", "--steps", "9000", "--interval", "1000")["curves"]:
            self.assertAlmostEqual(curve["peak"], (curve["d_model"] * curve["warmup"]) ** -0.5)
            self.assertEqual(len(curve["rates"]), 9)
            self.assertTrue(all(0 < rate <= curve["peak"] for _, rate in curve["rates"]))


if __name__ == "__main__":
    unittest.main()
