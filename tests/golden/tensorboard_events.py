"""Writes run.tfevents: the numbers of tests/run/run_tables_test.cpp, as TensorBoard's own writer stores
them, and prints what its reader finds there. Run: python3 tests/golden/tensorboard_events.py
"""

import pathlib

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

EVENTS = [
    (1.5, 50, {"training/loss": 3.25, "training/speed": 10}),
    (2.5, 100, {"training/loss": 2}),
    (3, 100, {"validation/bleu": 12.5, "validation/loss": 2.5}),
]

path = pathlib.Path(__file__).parent / "run.tfevents"
with path.open("wb") as file:
    records = RecordWriter(file)
    records.write(Event(wall_time=0, file_version="brain.Event:2").SerializeToString())
    for time, step, numbers in EVENTS:
        values = [Summary.Value(tag=tag, simple_value=number) for tag, number in numbers.items()]
        records.write(Event(wall_time=time, step=step, summary=Summary(value=values)).SerializeToString())

accumulator = EventAccumulator(str(path))
accumulator.Reload()
for tag in accumulator.Tags()["scalars"]:
    print(tag, accumulator.Scalars(tag))
