"""`gloss serve` as a process."""

import subprocess


class ServedGloss:
    """A server on a free port of this machine, or on another address. Close it after use."""

    def __init__(self, gloss, *arguments, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [gloss, "serve", "--listen", listen, *arguments], stderr=subprocess.PIPE, text=True
        )
        lines = []
        for line in self.process.stderr:  # "listening to 127.0.0.1:12345"
            lines.append(line)
            if line.startswith("listening to "):
                self.url = f"http://{line.split()[-1]}/"
                return
        raise RuntimeError(f"gloss serve ended: {''.join(lines)}")

    def close(self):
        """Ends the server and returns its exit code."""
        self.process.terminate()
        self.process.stderr.close()
        return self.process.wait(30)
