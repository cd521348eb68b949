"""Marian's files, written from the description of their formats: .npz, .bin (float32, intgemm8, intgemm16), vocab.yml,
decoder.yml."""

import struct

import numpy
import yaml

FLOAT32, INT8 = 0x404, 0x101
INTGEMM = {"marian": {8: 0x10001, 16: 0x10002}, "fork": {8: 0x4101, 16: 0x4102}}  # the fork for browsers
CONFIG = "special:model.yml"


def config_bytes(options):
    """The training options as Marian stores them: YAML that ends with NUL."""
    text = yaml.safe_dump(options, default_flow_style=False, sort_keys=False)
    return numpy.frombuffer(text.encode() + b"\0", "i1")


def write_npz(path, options, weights, compressed=False):
    save = numpy.savez_compressed if compressed else numpy.savez
    with open(path, "wb") as file:  # savez would add .npz to a name
        save(file, **{CONFIG: config_bytes(options)}, **{n: numpy.asarray(w, "f4") for n, w in weights.items()})


def is_matrix(name):
    """Whether Marian multiplies by this tensor, and stores it transposed when it is quantized."""
    return name[:-1].endswith("_W") or name.endswith("_W")


def quantize(values, bits):
    """Returns int8 or int16 values and their multiplier, one for the tensor."""
    multiplier = 127 / float(numpy.abs(values).max()) if bits == 8 else 1024.0
    limit = 127 if bits == 8 else 32767
    return numpy.clip(numpy.rint(values * multiplier), -limit, limit).astype("i1" if bits == 8 else "i2"), multiplier


def rounded(weights, bits, wemb):
    """Returns the weights with the values that a quantized file stores; `wemb`: embeddings are quantized, too."""
    result = dict(weights)
    for name, value in weights.items():
        if is_matrix(name) or (wemb and "Wemb" in name):
            stored, multiplier = quantize(value, bits)
            result[name] = (stored / numpy.float32(multiplier)).astype("f4")
    return result


def write_bin(path, options, weights, kind="float32", wemb=False, alphas=False, program="marian"):
    """Writes version 1 of Marian's binary format. `kind`: float32, intgemm8 or intgemm16; `wemb`: embeddings are
    quantized, too, as in browsermt's fork; `alphas`: with multipliers of activations; `program`: whose codes."""
    items = [(CONFIG, INT8, config_bytes(options).shape, config_bytes(options).tobytes())]
    bits = {"float32": 0, "intgemm8": 8, "intgemm16": 16}[kind]
    for name, value in sorted(weights.items()):
        value = numpy.asarray(value, "f4")
        if bits and (is_matrix(name) or (wemb and "Wemb" in name)):
            value = value.reshape(1, -1) if value.ndim == 1 else value
            stored, multiplier = quantize(value, bits)
            data = (stored.T if is_matrix(name) else stored).tobytes(order="C") + struct.pack("<f", multiplier)
            items.append((name, INTGEMM[program][bits], value.shape, data))
            if alphas:
                items.append((name + "_QuantMultA", FLOAT32, (1,), struct.pack("<f", 12.5)))
        else:
            items.append((name, FLOAT32, value.shape, value.tobytes()))
    padded = lambda size: (size + 255) // 256 * 256
    headers = b"".join(struct.pack("<4Q", len(name.encode()) + 1, kind_, len(shape), padded(len(data)))
                       for name, kind_, shape, data in items)
    names = b"".join(name.encode() + b"\0" for name, *_ in items)
    shapes = b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    head = struct.pack("<QQ", 1, len(items)) + headers + names + shapes
    gap = -(len(head) + 8) % 256
    with open(path, "wb") as file:
        file.write(head + struct.pack("<Q", gap) + bytes(gap))
        for _, _, _, data in items:
            file.write(data + bytes(padded(len(data)) - len(data)))


def read_npz(path):
    """Returns options and weights of a .npz file."""
    with numpy.load(path) as file:
        weights = {name: file[name] for name in file.files}
    return yaml.safe_load(weights.pop(CONFIG).tobytes().rstrip(b"\0")), weights


def write_vocabulary(path, tokens):
    """vocab.yml as Marian writes it: tokens by id, in double quotes where YAML needs them."""
    with open(path, "w", encoding="utf-8") as file:
        for number, token in enumerate(tokens):
            escaped = token.replace("\\", "\\\\").replace('"', '\\"')
            file.write(f'"{escaped}": {number}\n')


def write_decoder(path, model, vocabularies, **settings):
    content = {"relative-paths": True, "models": [model], "vocabs": vocabularies, "beam-size": 6, "normalize": 1,
               "word-penalty": 0, "mini-batch": 1, "maxi-batch": 1, "maxi-batch-sort": "src", **settings}
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(content, file, sort_keys=False)
