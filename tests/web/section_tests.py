"""Tests of the sections: the numbers that they show against those of the document."""

import math

import page_file
from page_case import EIGHT_BITS, PageCase, number, values


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
        for text, value in zip(shown, sorted(expected, key=lambda each: -abs(each)), strict=True):
            self.assertAlmostEqual(number(text), value, delta=2e-3)

    def test_twelve_strongest_words_of_a_difference(self):
        self.open("words")
        rows = "return document.querySelectorAll('table[aria-label=\"Difference by source word\"] tr').length"
        self.assertEqual(self.browser.run(rows), 12)
        self.browser.run(
            "[...document.querySelectorAll('#decoding .bars button')]"
            ".find((each) => each.textContent === 'Show all 14').click()"
        )
        self.assertEqual(self.browser.run(rows), 14)

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
        ranked = sorted(losses, key=lambda name: -losses[name])
        heads = [name for name in ranked if name.count(".") == 3]
        layers = [name for name in ranked if name not in heads]
        self.assertEqual([name for name, _ in shown], layers + heads)
        widths = (
            "return [...document.querySelectorAll('#removal table')].map((table) => "
            "Math.max(...[...table.querySelectorAll('.bar')].map((bar) => parseFloat(bar.style.width))))"
        )
        self.assertEqual(self.browser.run(widths), [50, 50])
        self.assertIn("A part with a bar below −0.01 was in the way", self.text("#removal .explanation"))
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
        items = self.documents["several"]["items"]
        vectors = [each["stack"][1]["vectors"]["output"] for each in items[:2]]

        def cosine(word):
            a, b = ([values(each, word, c) for c in range(64)] for each in vectors)
            return sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)

        word = min((0, 2, 3), key=cosine)  # of The, was, too, the words that both sentences have
        text = items[0]["source"]["words"][word]["text"]
        self.assertEqual(
            chosen,
            [
                "1 en-de: The animal was too tired",
                f"{word} {text}",
                "2 en-de: The street was too wide",
                f"{word} {text}",
                "Encoder self-attention",
                "1",
            ],
        )
        shown = self.cell("compare", f"Attention of {text}", 2, 4)
        self.assertAlmostEqual(number(shown), values(items[0]["maps"][1]["weights"], 2, word, 4), delta=EIGHT_BITS)
        cosines = "return [...document.querySelectorAll('#compare .number')].map((each) => each.textContent)"
        self.assertAlmostEqual(number(self.browser.run(cosines)[1]), cosine(word), delta=0.02)
        pieces = [len(item["source"]["pieces"]) for item in items[:2]]
        self.assertEqual(pieces[0] != pieces[1], "there is no map of differences" in self.text("#compare"))
        self.set("compare", "Sentence B", 0)
        self.assertEqual(self.browser.run(cosines), ["1.000", "1.000"])
        self.assertIn("The weights are the same as far as 8 bits show.", self.text("#compare"))

    def test_two_passes_by_cross_attention(self):
        items = self.documents["several"]["items"]
        self.open("several")
        self.set("compare", "Sentence B", 2)
        self.set("compare", "Attention", "decoder.cross")
        words = self.browser.run(
            "const label = [...document.querySelectorAll('#compare label')].find((each) => "
            "each.textContent.startsWith('Word'));"
            "return [...label.querySelectorAll('option')].map((each) => each.textContent)"
        )
        self.assertEqual(words, ["0 Das", "1 Tier", "2 war", "3 zu", "4 müde", "5 </s>"])
        self.set("compare", "Layer", 0)
        a, b = (next(m for m in items[n]["maps"] if m["part"] == "decoder.0.cross")["weights"] for n in (0, 2))
        word = int(
            self.browser.run("return document.querySelectorAll('#compare select')[1].selectedOptions[0].value")
        )
        shown = self.cell("compare", "Difference by head", 2, 4)
        difference = values(b, 2, word, 4) - values(a, 2, word, 4)
        self.assertAlmostEqual(number(shown), difference, delta=2 * EIGHT_BITS)
        mean = sum(values(b, head, 3, 4) - values(a, head, 3, 4) for head in range(4)) / 4
        shown = self.cell("compare", "Difference of the mean", 3, 4)
        self.assertIn("which predicts “▁zu” → key 4", shown)
        self.assertAlmostEqual(number(shown), mean, delta=2 * EIGHT_BITS)
        text = self.text("#compare")
        self.assertIn("B: 3 en-de; without encoder.0.self.1, positions: The animal was too tired", text)
        self.assertIn("Translation: Das Tier war zu müde log p = −5.806, loss 0.968", text)
        self.set("compare", "Attention", "decoder.self")
        self.assertIn("0 <s>", self.text("#compare"))
        self.check_quiet("several")

    def test_vectors_of_two_models_have_no_cosine(self):
        self.open("several")
        self.set("compare", "Sentence B", 4)
        self.assertIn("different bases", self.text("#compare .absent"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#compare .bars').length"), 0)

    def test_numbers_of_8_bits_have_no_more_digits_than_are_known(self):
        self.open("small")
        self.assertEqual(
            self.browser.run(
                "return [gloss.format(0.054195, 1 / 255), gloss.format(-0.001, 1 / 255), gloss.format(12.34, 0.3),"
                "gloss.signed(0.31415, 0.02), gloss.formatShort(0.314, 0.02), gloss.format(0.054195)]"
            ),
            ["0.05", "0.00", "12", "+0.3", ".3", "0.0542"],
        )
        self.assertRegex(self.cell("attention", "decoder, layer 1, cross-attention, head 0", 3, 2), r": \d\.\d\d$")

    def test_scale_of_a_map_is_common_or_its_own(self):
        weights = self.documents["small"]["items"][0]["maps"][-1]["weights"]
        self.open("small", page_file.plain)
        legend = "return document.querySelector('#attention .large .legend').lastChild.textContent"
        self.set("attention", "Head", 3)
        self.browser.run("gloss.paintAll()")
        self.assertEqual(self.browser.run(legend), "1.000")
        self.assertIn("one scale, 0 to 1.", self.text("#attention"))
        self.set("attention", "Scale", "own")
        self.browser.run("gloss.paintAll()")
        size = len(weights["values"]) // 4
        self.assertAlmostEqual(number(self.browser.run(legend)), max(weights["values"][3 * size :]), delta=6e-4)
        self.set("attention", "Shown", "norms")
        norms = max(max(each["norms"]["values"]) for each in self.documents["small"]["items"][0]["maps"])
        self.assertAlmostEqual(number(self.text("#attention > .note")), norms, delta=6e-4)

    def test_cross_attention_names_its_rows_by_what_they_predict(self):
        self.open("small")
        rows = "return gloss.axisLabels(gloss.document.items[0], arguments[0])"
        cross = self.browser.run(rows, {"side": "decoder", "kind": "cross"})
        self.assertEqual((cross["rows"][0], cross["rowName"]), ("▁Ein", "Query → predicts"))
        own = self.browser.run(rows, {"side": "decoder", "kind": "self"})
        self.assertEqual((own["rows"][0], own["rowName"]), ("<s>", "Query"))
        self.assertIn("name of the piece that its query predicts", self.text("#attention .large figcaption"))
        self.set("attention", "Attention", "encoder.self")
        self.assertNotIn("that its query predicts", self.text("#attention .large figcaption"))

    def test_unknown_piece_shows_its_text(self):
        self.open("small")
        labels = self.browser.run(
            "return gloss.labels({text: 'zu 我们 a', target: {pieces: []}, source: {words: [], pieces: ["
            "{piece: '▁zu', begin: 0, end: 2}, {piece: '<unk>', begin: 3, end: 9}, {piece: '</s>'}]}}).source"
        )
        self.assertEqual(labels, ["▁zu", "<unk> (我们)", "</s>"])
        clipped = self.browser.run(
            "return ['abcdef', 'abcdefg', '我们去', '我们去图'].map((each) => gloss.clipped(each, 6))"
        )
        self.assertEqual(clipped, ["abcdef", "abcde…", "我们去", "我们…"])

    def test_names_of_folders_and_items(self):
        self.open("run")
        self.assertEqual(self.text("h1"), "en-de, wide")
        self.assertEqual(
            self.browser.run("return gloss.lastFolders(['/a/x/run', '/a/y/run', '/a/y/run'])"),
            ["x/run", "y/run", "y/run"],
        )
        self.assertEqual(self.browser.run("return gloss.shorten('0123456789', 7)"), "012…789")

    def test_finished_run_without_samples(self):
        self.open("run")
        text = (
            "const runs = [{finished: arguments[0], samples: []}];"
            "return gloss.runSections[1].render({document: {runs}}).textContent"
        )
        self.assertEqual(self.browser.run(text, True), "The run has no samples.")
        self.assertEqual(self.browser.run(text, False), "The run has no samples yet.")

    def test_texts_follow_the_model(self):
        self.open("several")
        self.assertIn("A counter with smooth digits", self.text("#positions"))
        self.assertNotIn("Each norm is applied", self.text("#stack"))
        self.assertIn("the final norm and the generator. Color", self.text("#stack"))
        self.set("", "Model and pass", 4)  # post-norm, learned positions
        self.assertNotIn("smooth digits", self.text("#positions"))
        self.assertNotIn("a band along the diagonal", self.text("#positions"))
        self.assertIn("–: no more positions than dimensions", self.text("#positions"))
        self.assertIn("Each norm is applied", self.text("#stack"))
        self.assertIn("through the generator. Color", self.text("#stack"))

    def test_choice_of_sentence_and_pass(self):
        self.open("several")
        self.set("", "Sentence", 1)
        self.assertEqual(self.text("h1"), "The street was too wide")
        self.assertNotIn("The street", self.text("header p"))
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
        self.assertAlmostEqual(number(shown), values(weights, 0, 1, 0), delta=EIGHT_BITS)
        self.assertIn("▁Ein 0.38", self.text("#lens").replace("\u00a0", " "))

    def test_lens_of_a_sentence_that_was_added_when_the_run_was_resumed(self):
        self.open("run")
        self.set("lens", "Sentence", "Two men")
        self.set("lens", "Step", 0)
        self.assertIn("at step 2500", self.text("#lens figcaption"))
        self.assertIn("Zwei Männer", self.text("#lens tbody .strong"))
        self.assertNotIn("Ein Mann", self.text("#lens tbody"))
