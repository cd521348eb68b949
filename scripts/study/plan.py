"""The plan of the study (docs/study.md): settings, figures and sections.

A setting is a run file that differs from a common one by some keys. It is trained once for each
seed. A figure is a call of benchmarks/study_figures. A section lists both in the order of its table.
"""

import dataclasses
import hashlib
import json

# Increased when the texts or the measurements change, so that older results are not used.
FORMAT = 1
UPDATES = 600
SEEDS = 3
MAX_MINUTES = 8  # of a run; one that takes longer fails

# The network and the training that all settings share, by sections of a run file.
BASE = {
    "model.encoder_layers": 2, "model.decoder_layers": 2, "model.d_model": 128, "model.d_ff": 256,
    "model.heads": 4, "model.dropout": 0.1,
    "data.batch_tokens": 1024,
    "training.max_steps": UPDATES, "training.validate_every": UPDATES, "training.save_every": UPDATES,
    "training.shards": 1,  # a run has one thread
    "training.schedule": "inverse_sqrt", "training.learning_rate": 0.004, "training.warmup_steps": 150,
    "decoding.max_length": 128,  # more than any target; bounds the time of a network that learned nothing
}

FAST_MINUTES = 1.2  # of a run whose network has fast paths throughout, on one core
PLAIN_MINUTES = 1.6  # of a network that uses the equations in some place
COSTS_MINUTES = 0.2  # of measuring an update alone


@dataclasses.dataclass(frozen=True)
class Setting:
    """Keys beside BASE, the text, and what is measured beside loss, BLEU, speed and memory."""

    name: str
    title: str  # of its row in a table
    keys: dict = dataclasses.field(default_factory=dict)
    corpus: str = "en-de"  # a corpus of corpora.py
    pairs: int = 8000
    minutes: float = FAST_MINUTES
    averages: tuple = ()  # numbers of checkpoints whose mean is scored, too
    searches: tuple = ()  # pairs (beam size, length penalty) that are scored, too
    vectors: bool = False  # embeddings of the source from corpora.word_vectors

    def all_keys(self):
        return BASE | self.keys

    def plan(self):
        """A hash of everything that decides the result but the seed."""
        values = dataclasses.asdict(self) | {"keys": self.all_keys(), "format": FORMAT}
        for name in ("name", "title", "minutes"):
            del values[name]
        return _hash(values)

    @property
    def has_costs(self):
        """Whether `study_figures updates` measures an update as this setting has it.

        The measurement has the 1,000 pieces of en-de, the positions of BASE, and no frozen weight.
        """
        keys = self.all_keys()
        return (self.corpus == "en-de" and keys["data.batch_tokens"] == BASE["data.batch_tokens"] and
                "training.freeze" not in keys)

    def model_section(self):
        prefix = "model."
        return {key[len(prefix):]: value for key, value in self.all_keys().items() if key.startswith(prefix)}


@dataclasses.dataclass(frozen=True)
class Figure:
    """A call of benchmarks/study_figures; `model` holds keys of the model beside BASE."""

    name: str
    arguments: tuple
    model: dict = None
    minutes: float = 0.2

    def command(self):
        if self.model is None:
            return list(self.arguments)
        section = Setting("", "", {f"model.{key}": value for key, value in self.model.items()}).model_section()
        return [*self.arguments, "--model", json.dumps(section)]

    def plan(self):
        return _hash({"command": self.command(), "format": FORMAT})


@dataclasses.dataclass(frozen=True)
class Section:
    """Settings whose differences to the first one a table shows, and figures."""

    name: str
    settings: tuple = ()
    figures: tuple = ()
    multi30k: bool = False  # also trained on Multi30k where it is given


def _hash(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _plain(name, title, minutes=PLAIN_MINUTES, **keys):
    return Setting(name, title, {f"model.{key}": value for key, value in keys.items()}, minutes=minutes)


def _fast(name, title, minutes=FAST_MINUTES, **keys):
    return _plain(name, title, minutes, **keys)


def titled(setting, title):
    """The same setting with the title that it has in one section."""
    return dataclasses.replace(setting, title=title)


def on_multi30k(setting):
    """The same setting on 5,000 evenly spaced pairs of Multi30k."""
    return dataclasses.replace(setting, name=f"multi30k-{setting.name}", corpus="multi30k", pairs=5000,
                               averages=(), searches=setting.searches, minutes=setting.minutes * 1.5)


DEPTH_6 = {"model.encoder_layers": 6, "model.decoder_layers": 6}
# The mean rate is that of BASE, 0.0025; the first update has all of it.
NO_WARMUP = {"training.schedule": "constant", "training.learning_rate": 0.0025}
LOWER_RATE = {"training.learning_rate": 0.001}
POST = {"model.norm": "post"}

base = Setting("base", "pre-norm, warm-up", {"training.save_every": 20, "training.keep_checkpoints": 10},
               averages=(2, 5, 10), minutes=3.0,
               searches=tuple((beam, 1.0) for beam in (1, 2, 5, 10)) +
               tuple((5, penalty) for penalty in (0.0, 0.5, 1.5, 2.0)))
deep = Setting("deep", "pre-norm, warm-up", DEPTH_6, minutes=3.0)

scores = (
    titled(base, "scaled dot product"),
    _plain("dot", "dot product, not scaled", attention_score="dot"),
    _plain("general", "general, q W k", attention_score="general"),
    _plain("additive", "additive", minutes=3.0, attention_score="additive"),
    _plain("cosine", "cosine, learned temperature", attention_score="cosine"),
    _plain("location", "location", attention_score="location", max_positions=256),
)

norm_places_shallow = (
    base,
    Setting("pre-no-warmup", "pre-norm, no warm-up", NO_WARMUP),
    Setting("post", "post-norm, warm-up", POST),
    Setting("post-no-warmup", "post-norm, no warm-up", POST | NO_WARMUP),
    Setting("pre-lower-rate", "pre-norm, warm-up, a quarter of the rate", LOWER_RATE),
    Setting("post-lower-rate", "post-norm, warm-up, a quarter of the rate", POST | LOWER_RATE),
)
norm_places_deep = (
    deep,
    Setting("deep-no-warmup", "pre-norm, no warm-up", DEPTH_6 | NO_WARMUP, minutes=3.0),
    Setting("deep-post", "post-norm, warm-up", DEPTH_6 | POST, minutes=3.0),
    Setting("deep-post-no-warmup", "post-norm, no warm-up", DEPTH_6 | POST | NO_WARMUP, minutes=3.0),
)

norm_types = (
    titled(base, "layer norm"),
    _plain("batch-norm", "batch norm", norm_type="batch"),
    _plain("rms-norm", "RMS norm", norm_type="rms"),
    _plain("no-norm", "no norm", norm_type="none"),
)

residual = (
    titled(base, "with residual connections"),
    _plain("no-residual", "without residual connections", residual=False),
    titled(deep, "with residual connections"),
    Setting("deep-no-residual", "without residual connections", DEPTH_6 | {"model.residual": False},
            minutes=3.0),
)

positions = (
    titled(base, "sinusoidal"),
    _fast("learned", "learned", positions="learned", max_positions=256),
    _plain("rotary", "rotary", positions="rotary"),
    _plain("relative", "relative (T5's bias)", positions="relative"),
    _plain("no-positions", "none", positions="none"),
)

heads = tuple(
    titled(base, "4 heads") if count == 4 else
    _fast(f"heads-{count}", "1 head" if count == 1 else f"{count} heads", heads=count)
    for count in (4, 1, 2, 8, 16))

UNTIED = {"model.tie_embeddings": "decoder"}
embeddings = (
    Setting("random-embeddings", "random, trained", UNTIED, pairs=2000),
    Setting("tuned-embeddings", "pretrained, trained further", UNTIED, pairs=2000, vectors=True),
    Setting("frozen-embeddings", "pretrained, frozen", UNTIED | {"training.freeze": ["source_embedding"]}, pairs=2000,
            vectors=True),
)

CHINESE = UNTIED | {"tokenizer.joint": False, "tokenizer.normalization": "identity", "evaluation.tokenize": "zh",
                    "tokenizer.vocabulary_size": 800}
CHARACTERS = CHINESE | {"tokenizer.type": "char"}
units = (
    Setting("chinese-bpe", "BPE", CHINESE, corpus="en-zh"),
    Setting("chinese-characters", "characters, as many positions", CHARACTERS, corpus="en-zh"),
    Setting("chinese-characters-4096", "characters, four times the positions",
            CHARACTERS | {"data.batch_tokens": 4096}, corpus="en-zh", minutes=4.0),
)

smoothing = tuple(
    titled(base, "epsilon 0.1") if epsilon == 0.1 else
    Setting(f"smoothing-{round(100 * epsilon)}", f"epsilon {epsilon}", {"training.label_smoothing": epsilon})
    for epsilon in (0.1, 0.0, 0.2, 0.4))

averaging = (base, Setting("ema", "EMA, decay 0.99", {"training.ema_decay": 0.99}))

RECURRENT = {"model.architecture": "recurrent"}
NO_ATTENTION = RECURRENT | {"model.recurrent_attention": "none"}
ARCHITECTURES = (("", "Transformer", {}, FAST_MINUTES),
                 ("recurrent", "recurrent, additive attention", RECURRENT, 2.5),
                 ("recurrent-no-attention", "recurrent, no attention", NO_ATTENTION, 2.0))
PAIRS = (500, 2000, 8000, 25000)


def _architecture(name, title, keys, minutes, pairs):
    if pairs == base.pairs:
        return Setting(name, title, keys, minutes=minutes) if name else titled(base, title)
    return Setting(f"{name or 'transformer'}-{pairs}", f"{title}, {pairs:,} pairs", keys, pairs=pairs, minutes=minutes)


recurrent = tuple(_architecture(*architecture, base.pairs) for architecture in ARCHITECTURES)
by_pairs = tuple(_architecture(*architecture, pairs) for architecture in ARCHITECTURES for pairs in PAIRS)

choices = (
    titled(base, "ReLU, full mask, embeddings times sqrt(D)"),
    _fast("gelu", "GELU", activation="gelu"),
    _plain("swish", "swish", activation="swish"),
    _plain("glu", "GLU", activation="glu"),
    _plain("swiglu", "SwiGLU", activation="swiglu"),
    _plain("causal-encoder", "causal mask in the encoder", encoder_mask="causal"),
    _plain("embedding-scale-one", "embeddings as they are", embedding_scale="one"),
)

LENGTHS = "32,64,128,256,512,1024"

SECTIONS = (
    Section("scores", scores, multi30k=True),
    Section("scaling", (), (Figure("figure-scores", ("scores",)),)),
    Section("norm-places", norm_places_shallow + norm_places_deep),
    Section("norm-types", norm_types, multi30k=True),
    Section("residual", residual, (
        Figure("figure-gradients", ("gradients", "--depths", "2,6,12"), {}),
        Figure("figure-gradients-no-residual", ("gradients", "--depths", "2,6,12"), {"residual": False}),
        Figure("figure-gradients-post", ("gradients", "--depths", "2,6,12"), {"norm": "post"}))),
    Section("positions", positions, multi30k=True),
    Section("heads", heads),
    Section("embeddings", embeddings),
    Section("units", units),
    Section("smoothing", smoothing, (Figure("figure-smoothing", ("smoothing", "--vocabulary", "5", "--epsilon", "0.4")),)),
    Section("rates", (), (Figure("figure-rates", ("rates", "--steps", "20000", "--interval", "200")),)),
    Section("averaging", averaging),
    Section("search", (base,), multi30k=True),
    Section("recurrent", recurrent, multi30k=True),
    Section("pairs", by_pairs),
    Section("lengths", (), (
        Figure("figure-lengths", ("lengths", "--lengths", LENGTHS), {}, minutes=1),
        Figure("figure-lengths-recurrent", ("lengths", "--lengths", LENGTHS), {"architecture": "recurrent"},
               minutes=2))),
    Section("decoding", (), (Figure("figure-decoding", ("decoding", "--lengths", "8,16,32,64,128,256"), {}, minutes=1),)),
    Section("choices", choices),
)


def settings_of(section, multi30k=False):
    """The settings of a section, those of Multi30k last."""
    if not (multi30k and section.multi30k):
        return list(section.settings)
    return [*section.settings, *map(on_multi30k, section.settings)]


@dataclasses.dataclass(frozen=True)
class Run:
    """A setting with a seed, or a figure (seed 0): one result in docs/study/results.jsonl."""

    item: object
    seed: int

    @property
    def name(self):
        return f"{self.item.name}-{self.seed}" if self.seed else self.item.name

    def is_done(self, result):
        return result is not None and result["plan"] == self.item.plan()

    def lacks_costs(self, result):
        """Whether only the update of a run that is done has not been measured, as on a busy machine."""
        return (self.seed > 0 and self.is_done(result) and self.item.has_costs and
                not ("update" in result or result.get("diverged")))


def runs(sections=SECTIONS, seeds=SEEDS, multi30k=False):
    """Every run once, in the order of the sections."""
    found = {}
    for section in sections:
        for figure in section.figures:
            run = Run(figure, 0)
            found.setdefault(run.name, run)
        for setting in settings_of(section, multi30k):
            for seed in range(1, seeds + 1):
                run = Run(setting, seed)
                found.setdefault(run.name, run)
    return list(found.values())
