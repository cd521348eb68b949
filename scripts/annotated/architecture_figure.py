"""Draws figure 1: the encoder, the decoder, and the parts of their layers, each with its source file."""

from svg import picture, text

WIDTH, BOX, LEFT, RIGHT = 640, 190, 60, 350  # the two columns
ENCODER = [
    ("source embedding × √D", "embedding.h", "input"),
    ("+ positions, dropout", "positional_encoding.h", "input"),
    ("self-attention", "multi_head_attention.h", "attention"),
    ("feed-forward", "feed_forward.h", "forward"),
    ("LayerNorm", "layer_norm.h", "norm"),
]
DECODER = [
    ("target embedding × √D", "embedding.h", "input"),
    ("+ positions, dropout", "positional_encoding.h", "input"),
    ("causal self-attention", "multi_head_attention.h", "attention"),
    ("cross-attention", "multi_head_attention.h", "attention"),
    ("feed-forward", "feed_forward.h", "forward"),
    ("LayerNorm", "layer_norm.h", "norm"),
    ("generator, log softmax", "generator.h", "norm"),
]
STEP, HEIGHT = 62, 40


def column(x, boxes, bottom, repeated):
    """Boxes upward from `bottom`, with residual connections around those in `repeated`."""
    parts, tops = [], []
    for index, (name, file, kind) in enumerate(boxes):
        y = bottom - HEIGHT - index * STEP
        tops.append(y)
        parts.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6" class="box {kind}"/>')
        parts.append(text(x + BOX / 2, y + 17, name, "middle", "strong"))
        parts.append(text(x + BOX / 2, y + 32, file, "middle", "file"))
        if index + 1 < len(boxes):
            parts.append(arrow(x + BOX / 2, y, x + BOX / 2, y - STEP + HEIGHT))
        if index in repeated:  # x + sublayer(norm(x))
            side = x + BOX + 16
            parts.append(
                f'<path d="M{x + BOX / 2} {y + HEIGHT + 11} H{side} V{y - 11} H{x + BOX / 2 + 4}" class="flow residual" '
                'marker-end="url(#head)"/>'
            )
    first, last = min(repeated), max(repeated)
    frame = (x - 14, tops[last] - 16, BOX + 44, tops[first] - tops[last] + HEIGHT + 31)
    parts.insert(0, '<rect x="%g" y="%g" width="%g" height="%g" rx="10" class="layer"/>' % frame)
    parts.append(text(x - 20, frame[1] + frame[3] - 12, "× N", "end", "strong"))
    return "".join(parts), tops


def arrow(x1, y1, x2, y2):
    return f'<path d="M{x1} {y1} L{x2} {y2}" class="flow" marker-end="url(#head)"/>'


def draw():
    height = STEP * len(DECODER) + 60
    bottom = height - 40
    encoder, encoder_tops = column(LEFT, ENCODER, bottom, (2, 3))
    decoder, decoder_tops = column(RIGHT, DECODER, bottom, (2, 3, 4))
    middle = (LEFT + BOX + RIGHT) / 2 + 16
    cross = decoder_tops[3] + HEIGHT / 2
    memory = (
        f'<path d="M{LEFT + BOX / 2} {encoder_tops[4]} V{encoder_tops[4] - 14} H{middle} V{cross} H{RIGHT - 2}" '
        'class="flow" marker-end="url(#head)"/>'
    )
    words = [
        text(LEFT + BOX / 2, bottom + 30, "source ids [B, S]", "middle"),
        text(RIGHT + BOX / 2, bottom + 30, "target ids so far [B, T], bos first", "middle"),
        text(LEFT + BOX / 2, encoder_tops[4] - 20, "memory [B, S, D]", "middle"),
        text(RIGHT + BOX / 2, decoder_tops[6] - 8, "log-probabilities of the next piece [B, T, V]", "middle"),
        arrow(LEFT + BOX / 2, bottom + 18, LEFT + BOX / 2, bottom),
        arrow(RIGHT + BOX / 2, bottom + 18, RIGHT + BOX / 2, bottom),
    ]
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" class="arrowhead"/></marker></defs>'
    )
    return picture(WIDTH, height, head + encoder + decoder + memory + "".join(words), "The Transformer, figure 1")
