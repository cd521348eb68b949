"""Stands in for CTranslate2: translates a line into itself, after the given beginning, or into its first piece."""


class Result:
    def __init__(self, pieces):
        self.hypotheses = [pieces, pieces[:1]]
        self.scores = [-1.0, -0.5]


class Translator:
    def __init__(self, folder, compute_type):
        assert folder == "." and compute_type == "float32"

    def translate_batch(self, lines, target_prefix=None, **options):
        return [Result(prefix + line) for prefix, line in zip(target_prefix or [[]] * len(lines), lines)]
