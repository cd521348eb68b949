"""load: sentences per second with 1, 8, 64 and 1,000 connections, beside the translation of a file."""
import subprocess

from client import children_seconds, wrk, wrk_text
from process import Gloss, threads


def file_rate(options, sentences, folder):
    """Returns sentences of translate-file per second of processor time; loading is taken off by an empty file."""
    model = options.model.split("=", 1)[-1]

    def processor_seconds(text):
        (folder / "in.txt").write_text(text)
        begin = children_seconds()
        subprocess.run([options.gloss, "translate-file", "--model", model, folder / "in.txt", folder / "out.txt",
                        *threads(options)], check=True, stderr=subprocess.DEVNULL)
        return children_seconds() - begin

    loading = processor_seconds("\n")
    return len(sentences) / (processor_seconds("".join(f"{s}\n" for s in sentences)) - loading)


def run(options, sentences, folder):
    rate = file_rate(options, sentences, folder)
    print(f"file: {rate:.0f} sentences per processor second")
    rows = []
    with Gloss(options) as server:
        bodies = [server.body(s) for s in sentences]
        for connections in map(int, options.connections.split(",")):
            rows.append(wrk(server, folder, bodies, connections, options.seconds))
            rows[-1]["share_of_file"] = rows[-1]["sentences_per_processor_second"] / rate
            print(f"{wrk_text(rows[-1])}; {rows[-1]['share_of_file']:.2f} of the file")
    failed = sum(row["refused"] + row["failed"] for row in rows)
    return {"sentences_per_processor_second_of_file": rate, "loads": rows, "exit_code": server.exit_code,
            "holds": failed == 0 and server.exit_code == 0 and
            all(row["share_of_file"] >= 0.8 for row in rows if row["connections"] == 64)}
