"""Stands in for Hugging Face's transformers: translates a line into itself."""


class Ids:
    def __init__(self, line):
        self.line = line
        self.shape = (1, len(line) + 1)


class Tokenizer:
    @classmethod
    def from_pretrained(cls, folder):
        return cls()

    def __call__(self, line, return_tensors, truncation):
        return {"input_ids": Ids(line)}

    def decode(self, ids, skip_special_tokens, clean_up_tokenization_spaces):
        return ids.line


class Model:
    @classmethod
    def from_pretrained(cls, folder):
        return cls()

    def eval(self):
        return self

    def generate(self, input_ids):
        return [input_ids]


PreTrainedTokenizerFast = MarianTokenizer = Tokenizer
PegasusForConditionalGeneration = MarianMTModel = Model
