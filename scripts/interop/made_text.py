"""Text made of random words, and small SentencePiece models trained on it."""

import functools
import io

import numpy
import sentencepiece

SYLLABLES = ["ba", "ne", "ki", "to", "lu", "schr", "eim", "ä", "ö", "ou", "st", "ing", "ver", "ß", "é", "дом", "жи", "の"]

NORMALIZATION = {}  # {"normalization_rule_name": "identity"} makes models of some kilobytes instead of 250


def words(random, count):
    return ["".join(random.choice(SYLLABLES, random.integers(1, 5))) for _ in range(count)]


def lines(seed, count, vocabulary=400):
    """Returns `count` sentences of 1 to 14 words with punctuation."""
    random = numpy.random.default_rng(seed)
    known = words(random, vocabulary)
    result = []
    for _ in range(count):
        sentence = list(random.choice(known, random.integers(1, 15)))
        if random.random() < 0.3:
            sentence.insert(random.integers(0, len(sentence)), str(random.integers(0, 3000)))
        if random.random() < 0.3:
            sentence[random.integers(0, len(sentence))] += ","
        result.append(" ".join(sentence).capitalize() + str(random.choice([".", "!", "?", ""])))
    return result


@functools.lru_cache(maxsize=None)
def train(seed, pieces, kind="unigram", **options):
    """Returns the bytes of a SentencePiece model with this number of pieces. There are six texts, so that models of
    equal options are trained once. `options` as in SentencePieceTrainer."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines(seed % 6, 400)), model_writer=model, vocab_size=pieces, model_type=kind,
        character_coverage=1.0, minloglevel=2, hard_vocab_limit=False, **{**NORMALIZATION, **options})
    return model.getvalue()


def marian_sentencepiece(seed, pieces, kind="unigram"):
    """Ids as in a .spm file that Marian trained: eos 0, unk 1, no bos, no pad."""
    return train(seed, pieces, kind, bos_id=-1, eos_id=0, unk_id=1)


def pieces_of(model):
    """Returns the spelling of each id, and the ids of ordinary pieces."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    count = processor.get_piece_size()
    ordinary = [i for i in range(count) if not (processor.is_control(i) or processor.is_unknown(i))]
    return [processor.id_to_piece(i) for i in range(count)], ordinary
