"""Stands in for SentencePiece: each character is a piece."""
import os


class SentencePieceProcessor:
    def __init__(self, model_file):
        assert os.path.exists(model_file)

    def encode(self, line):
        return list(line)

    def id_to_piece(self, ids):
        return ids

    def decode(self, pieces):
        return "".join(pieces)
