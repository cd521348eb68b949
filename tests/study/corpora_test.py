"""The texts of the study."""

import unittest

import made_up  # noqa: F401
import corpora


class CorporaTest(unittest.TestCase):
    def test_lines_join_sentences_in_order(self):
        pairs = [(f"s{i}", f"t{i}") for i in range(6)]
        self.assertEqual(corpora.join_sentences(pairs, [1, 3, 2, 1], ""), [
            ("s0", "t0"), ("s1 s2 s3", "t1t2t3"), ("s4 s5", "t4t5")])
        self.assertEqual(corpora.join_sentences(pairs, [4, 3], " "), [("s0 s1 s2 s3", "t0 t1 t2 t3")])

    def test_order_pairs_have_the_same_words_and_other_translations(self):
        pairs = [("The dog bites the man.", "A"), ("The man bites the dog.", "B"), ("Is the dog big?", "C"),
                 ("The dog is big.", "D"), ("The cat bites the man.", "E"), ("The man bites the cat.", "F")]
        self.assertEqual(corpora.order_pairs(pairs, {"The cat bites the man."}), [(pairs[0], pairs[1])])

    def test_pieces_are_read_from_a_sentencepiece_model(self):
        pieces = corpora.tokenizer_pieces((made_up.ROOT / "tests/golden/pieces.model").read_bytes())
        self.assertEqual(pieces[:4], ["<unk>", "<s>", "</s>", "▁"])
        self.assertIn("▁", "".join(pieces[4:]))

    def test_tensors_are_read_from_a_model_file(self):
        tensors = corpora.read_safetensors(made_up.ROOT / "tests/golden/pre_norm_model.safetensors")
        (rows, width), data = tensors["source_embedding.weight"]
        self.assertEqual(len(data), 4 * rows * width)


if __name__ == "__main__":
    unittest.main()
