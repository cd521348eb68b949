"""Writes bleu.json: tokens and corpus BLEU as sacreBLEU 2.6.0 computes them. Run: python3 tests/golden/bleu.py"""

import json
import pathlib

import sacrebleu
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_none import NoneTokenizer
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

LINES = [
    "",
    " ",
    "\t \u3000 ",
    "Hello, world!",
    "It's a well-known, tried-and-tested recipe.",
    "3.14 is less than 3,1415; 1,000,000.00 is more.",
    "No. 7, no. 8., and 9.",
    "Ends with a number 42.",
    "Version 2.0.1-beta, pages 10-12, 1990-",
    "-5 degrees, 7-year-old, A-1 and 1-A",
    ".5 and 5. and .5. and ,5,",
    "Wait... what?! ..., ,,, .,.,",
    "a.b.c, x,y,z",
    "1.a 1,a a.1 a,1",
    "..",
    ".",
    ",.",
    "5",
    "-",
    "(see [1], {2} & <3>) ~ tilde_under `tick` ^ | \\ / @ # $ % * + = : ;",
    '"double" and \'single\' quotes',
    "&quot;entities&quot; &amp; &lt;tags&gt;",
    "&amp;quot; &amp;amp; &amp;lt; &amp;amp;lt;",
    "&apos; &nbsp; &#39; stay as they are",
    "AT&T and R&D, fish & chips",
    "a<skipped>b <skipped> <skip<skipped>ped>",
    "hyphen-\nated over a line, and-\n",
    "two\nlines\n",
    "dash at the end 9-\n9",
    "spaces\u00a0that\u2009are\u202fnot\u3000ASCII\u2003.",
    "control\x1cspaces\x1dtoo\x1e,\x1f.\x85end\x0b\x0c",
    "zero\u200bwidth is no space, nor is \ufeff or \u180e",
    "line\u2028separator\u2029paragraph",
    "Ein Mann, der „Guten Tag“ sagt – und geht…",
    "L’été, c’est « magnifique » ; n'est-ce pas ?",
    "¿Qué pasa? ¡Nada! 1.234,56 €",
    "Привет, мир. Как дела? 5-й этаж.",
    "Γειά σου, Κόσμε. Τι κάνεις;",
    "你好,世界。今天是2024.1.1号、对吗?3,5",
    "你好.世界,再见",
    "東京は、日本の首都です。(たぶん)",
    "안녕하세요, 세계! 3.5점입니다.",
    "مرحبا، بالعالم. ٣.٥ و 3,5؟",
    "שלום, עולם! צה\"ל 5.",
    "नमस्ते, दुनिया। १.५ और 1.5 है.",
    "สวัสดีชาวโลก, 1.5 กิโล.",
    "emoji 👍, 👩‍👩‍👧. flag 🇩🇪!",
    "e\u0301, combining o\u0308.",
    "https://example.org/a?b=c&d=e, mail@example.org",
    "$5.00, 50%, #1, C++, C#, 1/2, 24/7, 12:30.",
    "½. ², ⅷ, ①. 1².",
    "many      spaces   ,   and . stops",
    "那个男孩在2024年买了3.5公斤“苹果”，是吗？OK！",
    "\u2000\u2001\u2a6d\u2a6e \u2f80\u2f81\u2fa1 \u2014\u2026\u20ac \u9fa6\u9fbb\u9fbcx \U00020000x \u2a6ex",
    " .5,前后. 1-2 &amp; <skipped> ",
]

CORPORA = {
    "equal": (["the cat sat on the mat .", "a b c d e"], ["the cat sat on the mat .", "a b c d e"]),
    "nothing in common": (["a b c d", "e f"], ["w x y z", "u v"]),
    "only single words in common": (["the cat is here now"], ["now here is cat the"]),
    "no four words in common": (["a b c x e f g"], ["a b c y e f g"]),
    "shorter than the reference": (["the quick brown fox"], ["the quick brown fox jumps over the lazy dog"]),
    "longer than the reference": (["the quick brown fox jumps over the lazy dog"], ["the quick brown fox jumps"]),
    "three words": (["one two three"], ["one two three"]),
    "one word": (["yes"], ["yes"]),
    "one wrong word": (["yes"], ["no"]),
    "empty hypothesis": ([""], ["a reference"]),
    "empty reference": (["a hypothesis"], [""]),
    "both empty": ([""], [""]),
    "some empty": (["", "a b c d e", ""], ["x y", "a b c d e", ""]),
    "white space only": ([" \u3000\t", "a b c d"], ["\u2003", "a b c d"]),
    "repeated words are clipped": (["the the the the the the the"], ["the cat is on the mat"]),
    "repeated pairs are clipped": (["a b a b a b a b"], ["a b a b c c c c"]),
    "n-grams do not cross lines": (["a b", "c d"], ["a b", "c d"]),
    "matches stay in their line": (["a b c d", "e f g h"], ["e f g h", "a b c d"]),
    "case counts": (["The Cat Sat Down ."], ["the cat sat down ."]),
    "punctuation is set apart": (["Hello, world! It's 3.14."], ["Hello , world ! It's 3.14 ."]),
    "entities are resolved": (["&quot;A &amp; B&quot; &lt;C&gt;"], ['"A & B" <C>']),
    "hyphen at the very end": (["well-\n known fact is this-\n"], ["well- known fact is this-"]),
    "other white space": (["a\u00a0b\u3000c\u2028d e"], ["a b c d e"]),
    "German": (
        ["Ein Mann mit einem Hut fährt Fahrrad.", "Zwei Hunde spielen im Schnee."],
        ["Ein Mann mit Hut fährt auf einem Fahrrad.", "Zwei Hunde spielen im tiefen Schnee."],
    ),
    "French": (["C'est l'été, n'est-ce pas ?"], ["C'est bien l'été, n'est-ce pas ?"]),
    "Russian": (["Двое людей идут по улице."], ["Два человека идут по улице."]),
    "Chinese counts by spaces": (["你好,世界。 今天 很 好 啊"], ["你好,世界。 今天 非常 好 啊"]),
    "Chinese": (["那个男孩昨天买了三个苹果。", "你好,世界!"], ["那个男孩昨天吃了三个苹果。", "你好，世界！"]),
    "Arabic": (["رجل يركب دراجة في الشارع ."], ["رجل يركب دراجته في الشارع ."]),
    "Hindi": (["एक आदमी सड़क पर चल रहा है।"], ["एक आदमी सड़क पर दौड़ रहा है।"]),
    "numbers": (["In 2016, 1,234.5 of 10-12 items cost $3.50."], ["In 2016 , 1,234.5 of 10 - 12 items cost $ 3.50 ."]),
}


def signature_of(tokenizer):
    metric = BLEU(tokenize=tokenizer)
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    tokenizers = {"13a": Tokenizer13a(), "intl": TokenizerV14International(), "zh": TokenizerZh(), "char": TokenizerChar(),
                  "none": NoneTokenizer()}
    corpora = []
    for name, (hypotheses, references) in CORPORA.items():
        metric = BLEU()
        bleu = metric.corpus_score(hypotheses, [references])
        corpora.append({
            "name": name, "hypotheses": hypotheses, "references": references,
            "score": bleu.score, "precisions": bleu.precisions, "brevity_penalty": bleu.bp,
            "matches": bleu.counts, "totals": bleu.totals,
            "hypothesis_length": bleu.sys_len, "reference_length": bleu.ref_len,
            "scores": {name: BLEU(tokenize=name).corpus_score(hypotheses, [references]).score for name in tokenizers},
        })
        signature = str(metric.get_signature())
    result = {
        "made_by": "tests/golden/bleu.py with sacreBLEU " + sacrebleu.__version__,
        "signature": signature,
        "signatures": {name: signature_of(name) for name in tokenizers},
        "lines": [{"line": line} | {name: " ".join(tokenize(line).split()) for name, tokenize in tokenizers.items()}
                  for line in LINES],
        "corpora": corpora,
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
