"""Tests of the sections: the numbers that they show against those of the document."""

import math

import page_file
from page_case import PageCase, number, values


class SectionTest(PageCase):
    def test_attention_of_each_kind_and_the_means(self):
        item = self.documents["small"]["items"][0]
        self.open("small", page_file.plain)
        self.set("attention", "Attention", "encoder.self")
        self.set("attention", "Layer", 0)
        self.set("attention", "Head", 2)
        shown = self.cell("attention", "encoder, layer 0, self-attention, head 2", 4, 3)
        self.assertIn("query 4 “bing” → key 3 “▁clim”", shown)
        self.assertAlmostEqual(number(shown), values(item["maps"][0]["weights"], 2, 4, 3), delta=6e-4)
        self.set("attention", "Shown", "norms")
        shown = self.cell("attention", "encoder, layer 0, self-attention, head 2", 4, 3)
        self.assertAlmostEqual(number(shown), values(item["maps"][0]["norms"], 2, 4, 3), delta=6e-4)
        self.set("attention", "Shown", "weights")
        self.set("attention", "Head", "mean")
        mean = sum(values(item["maps"][0]["weights"], head, 4, 3) for head in range(4)) / 4
        shown = self.cell("attention", "encoder, layer 0, self-attention, head mean", 4, 3)
        self.assertAlmostEqual(number(shown), mean, delta=6e-4)
        self.set("attention", "Layer", "mean")
        mean = sum(values(item["maps"][layer]["weights"], head, 4, 3) for layer in range(2) for head in range(4)) / 8
        shown = self.cell("attention", "encoder, layer mean, self-attention, head mean", 4, 3)
        self.assertAlmostEqual(number(shown), mean, delta=6e-4)

    def test_occlusion_is_the_change_of_the_log_probability(self):
        item = self.documents["small"]["items"][0]
        self.open("small")
        self.set("attention", "Shown", "occlusion")
        shown = self.cell("attention", "decoder, layer 1, cross-attention, head 0", 3, 2)
        hidden = values(item["interventions"]["words"]["log_probabilities"], 2, 3, 0)
        base = values(item["candidates"]["log_probabilities"], 3, 0)
        self.assertIn("hiding 2 “girl”", shown)
        self.assertAlmostEqual(number(shown), hidden - base, delta=1e-3)

    def test_rows_of_the_decoder_name_input_and_prediction(self):
        self.open("small")
        self.set("attention", "Attention", "decoder.self")
        shown = self.cell("attention", "decoder, layer 1, self-attention, head 0", 0, 0)
        self.assertIn("query 0 “<s>”, which predicts “▁Ein”", shown)

    def test_top_p_renormalizes(self):
        self.open("small")
        self.set("decoding", "Top-p", 0.5)
        rows = self.browser.run(
            "return [...document.querySelectorAll('.distribution tbody tr')].map("
            "(row) => [...row.children].map((each) => each.textContent))"
        )
        self.assertEqual([row[2] for row in rows[:3]], ["0.679", "0.321", "0.000"])
        self.assertEqual(rows[0][1], "0.380")
        self.set("decoding", "Top-p", 1)
        self.set("decoding", "Top-k", 3)
        rows = self.browser.run(
            "return [...document.querySelectorAll('.distribution tbody td:last-child')].map((each) => each.textContent)"
        )
        self.assertEqual(rows[:4], [f"{p / 0.66:.3f}" for p in (0.38, 0.18, 0.1)] + ["0.000"])

    def test_top_p_is_a_share_of_the_tokens_that_top_k_keeps(self):
        self.open("small")
        self.set("decoding", "Top-k", 2)
        self.set("decoding", "Top-p", 0.6)
        cells = "return [...document.querySelectorAll('.distribution td:last-child')].map((each) => each.textContent)"
        self.assertEqual(self.browser.run(cells)[:3], ["1.000", "0.000", "0.000"])
        self.set("decoding", "Top-p", 0.69)  # 0.38 of 0.56 is 0.68
        self.assertEqual(self.browser.run(cells)[:3], ["0.679", "0.321", "0.000"])

    def test_temperature_uses_the_stored_tail(self):
        self.open("small")
        self.set("decoding", "Temperature", 2)
        shares = [math.exp(logp) for _, logp in self.documents["small"]["items"][0]["steps"][0]["top"]]
        total = sum(math.sqrt(p) for p in [*shares, 1 - sum(shares)])
        rows = self.browser.run(
            "return [...document.querySelectorAll('.distribution tbody td:last-child')].map((each) => each.textContent)"
        )
        self.assertEqual(rows[0], f"{math.sqrt(shares[0]) / total:.3f}")
        self.assertAlmostEqual(sum(float(row) for row in rows), 1, delta=6e-3)

    def test_top_p_beyond_the_stored_tokens_keeps_the_rest(self):
        self.open("small")
        result = self.browser.run(
            "return gloss.renormalize({top: [[1, Math.log(0.5)], [2, Math.log(0.2)]], tail: "
            "Array(20).fill(Math.log(0.3))}, {temperature: 1, k: 0, p: 0.9})"
        )
        self.assertAlmostEqual(result["tokens"][0]["kept"], 0.5)
        self.assertAlmostEqual(result["rest"][1], 0.3)

    def test_why_not_another_word(self):
        item = self.documents["small"]["items"][0]
        self.open("small")
        self.browser.run("document.querySelectorAll('.step')[2].click()")
        self.set("decoding", "Other token", 3)
        base = item["candidates"]["log_probabilities"]
        words = item["interventions"]["words"]["log_probabilities"]
        difference = values(base, 2, 0) - values(base, 2, 3)
        self.assertIn(f"+{difference:.3f}", self.text("#decoding"))
        expected = [difference - (values(words, w, 2, 0) - values(words, w, 2, 3)) for w in range(9)]
        shown = self.browser.run(
            "return [...document.querySelector('table[aria-label=\"Difference by source word\"]')"
            ".querySelectorAll('.number')].map((each) => each.textContent)"
        )
        for text, value in zip(shown, expected, strict=True):
            self.assertAlmostEqual(number(text), value, delta=2e-3)

    def test_beam_scores_follow_the_length_penalty(self):
        self.open("small")
        finished = [
            node for node in self.documents["small"]["items"][0]["beam"]["nodes"] if node["state"] == "finished"
        ]
        self.set("decoding", "Length penalty α", 0.5)
        shown = self.browser.run(
            "const cells = [...document.querySelectorAll('#decoding .plain tbody td:first-child')];"
            "return cells.map((each) => each.textContent)"
        )
        expected = [node["log_probability"] / (node["step"] + 1) ** 0.5 for node in finished]
        for text, value in zip(shown, sorted(expected, reverse=True), strict=True):
            self.assertAlmostEqual(number(text), value, delta=6e-3)
        self.assertIn("step 1", self.text("#decoding"))
        self.assertEqual(self.browser.run("return gloss.lengthScore(-6, 7, 1, 'gnmt')"), -3)

    def test_contributions_and_lens(self):
        item = self.documents["small"]["items"][0]
        self.open("small")
        shown = self.cell("stack", "Contributions to the logits", 3, 5)
        self.assertIn("decoder.0.cross adds", shown)
        value = values(item["contributions"]["values"], 3, 5)
        self.assertAlmostEqual(float(shown.split(" adds ")[1].split()[0].replace("−", "-")), value, delta=1e-3)
        self.browser.run("document.querySelector('.lens tbody tr:nth-child(2) td:nth-child(4)').focus()")
        text = self.text("#stack figure:has(.lens) > .readout")
        self.assertIn("decoder.0 at 2 “nes”", text)
        self.assertIn(f"rank {values(item['lens']['rank'], 1, 2)}", text)

    def test_removed_parts_are_ranked(self):
        item = self.documents["small"]["items"][0]
        self.open("small")
        parts = item["interventions"]["parts"]
        losses = dict(zip(parts["names"], parts["loss"]["values"]))
        shown = self.browser.run(
            "return [...document.querySelectorAll('#removal tbody tr')].map((row) => "
            "[row.children[0].textContent, row.children[2].textContent])"
        )
        self.assertEqual([name for name, _ in shown], sorted(losses, key=lambda name: -losses[name]))
        self.assertAlmostEqual(number(shown[0][1]), losses[shown[0][0]] - item["interventions"]["loss"], delta=1e-3)

    def test_padding_is_hidden_by_the_masks(self):
        self.open("small")
        self.assertIn("sees key 11", self.cell("masks", "Encoder self-attention: padding", 0, 11))
        self.set("masks", "Padding", 2)
        shown = self.cell("masks", "Encoder self-attention: padding", 0, 12)
        self.assertEqual(shown, "query 0 “▁A” does not see key 12 “<pad>”")
        name = "Decoder self-attention: causal and padding"
        self.assertIn("does not see", self.cell("masks", name, 3, 4))
        self.assertIn(" sees ", self.cell("masks", name, 4, 4))
        self.assertIn("does not see", self.cell("masks", name, 14, 13))

    def test_hidden_words_are_hidden_in_the_masks(self):
        self.open("several")
        self.set("", "Model and pass", 3)
        self.assertIn("does not see key 1 “▁animal”", self.cell("masks", "Cross-attention: padding", 0, 1))
        self.assertIn("sees key 2 “▁was”", self.cell("masks", "Cross-attention: padding", 0, 2))

    def test_two_sentences(self):
        self.open("several")
        chosen = self.browser.run(
            "const lists = [...document.querySelectorAll('#compare select')];"
            "return lists.map((each) => each.selectedOptions[0].textContent)"
        )
        self.assertEqual(
            chosen,
            ["The animal was too tired [runs/en-de]", "3 too", "The street was too wide [runs/en-de]", "3 too", "0"],
        )
        item = self.documents["several"]["items"][0]
        shown = self.cell("compare", "Attention of too", 2, 4)
        self.assertAlmostEqual(number(shown), values(item["maps"][0]["weights"], 2, 3, 4), delta=2.6e-3)
        vectors = [each["stack"][1]["vectors"]["output"] for each in self.documents["several"]["items"][:2]]
        a, b = ([values(each, 3, c) for c in range(64)] for each in vectors)
        cosine = sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)
        cosines = "return [...document.querySelectorAll('#compare .number')].map((each) => each.textContent)"
        self.assertAlmostEqual(number(self.browser.run(cosines)[1]), cosine, delta=0.02)
        self.set("compare", "Sentence B", 0)
        self.assertEqual(self.browser.run(cosines), ["1.000", "1.000"])

    def test_choice_of_sentence_and_pass(self):
        self.open("several")
        self.set("", "Sentence", 1)
        self.assertIn("The street was too wide", self.text("header p"))
        self.set("", "Sentence", 0)
        self.set("", "Model and pass", 2)
        self.assertIn("encoder, layer 0, self-attention, head 1; positional encodings", self.text("#removal"))
        self.set("", "Model and pass", 3)
        self.assertIn("source words 1 “animal”", self.text("#masks"))
        self.set("", "Model and pass", 4)
        self.assertIn("learned positions", self.text("#positions"))
        self.check_quiet("several")

    def test_lens_through_time(self):
        self.open("run")
        self.set("lens", "Step", 0)
        self.assertIn("at step 500", self.text("#lens figcaption"))
        weights = self.documents["run"]["runs"][0]["lens"][0]["items"][0]["maps"][-1]["weights"]
        shown = self.cell("lens", "decoder.1.cross.0", 1, 0)
        self.assertAlmostEqual(number(shown), values(weights, 0, 1, 0), delta=3e-3)
        self.assertIn("▁Ein 0.38", self.text("#lens").replace("\u00a0", " "))

    def test_lens_of_a_sentence_that_was_added_when_the_run_was_resumed(self):
        self.open("run")
        self.set("lens", "Sentence", "Two men")
        self.set("lens", "Step", 0)
        self.assertIn("at step 2500", self.text("#lens figcaption"))
        self.assertIn("Zwei Männer", self.text("#lens tbody .strong"))
        self.assertNotIn("Ein Mann", self.text("#lens tbody"))
