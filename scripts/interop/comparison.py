"""Numbers that the checks compare, and the summary that they print."""

import numpy

TOLERANCE = 1e-5  # of the largest logit, and of scores


def relative(found, expected):
    """Largest difference, relative to the largest expected value."""
    return float(numpy.abs(found - expected).max() / numpy.abs(expected).max())


class Summary:
    """Counts what was compared. A failure has one line of text."""

    def __init__(self, title):
        self.title, self.failures, self.counts, self.worst = title, [], {}, {}

    def fail(self, text):
        self.failures.append(text)
        print(f"{self.title}: FAILED: {text}", flush=True)

    def count(self, name, ok, text=""):
        done, good = self.counts.get(name, (0, 0))
        self.counts[name] = (done + 1, good + bool(ok))
        if not ok:
            self.fail(f"{name}: {text}")

    def difference(self, name, value, text, tolerance=TOLERANCE):
        done, largest = self.worst.get(name, (0, 0.0))
        self.worst[name] = (done + 1, max(largest, value))
        if not value <= tolerance:
            self.fail(f"{name}: {text}: differs by {value:.2g}, wanted at most {tolerance:.0e}")

    def print(self):
        for name, (done, good) in self.counts.items():
            print(f"{self.title}: {name}: {good} of {done}")
        for name, (done, largest) in self.worst.items():
            print(f"{self.title}: {name}: {done} compared, largest difference {largest:.2g}")
        print(f"{self.title}: {'FAILED, ' + str(len(self.failures)) + ' failures' if self.failures else 'passed'}",
              flush=True)


def same_search(found, expected, score_of):
    """Compares two hypotheses, tuples of ids. Returns whether they are equal or have scores, by `score_of`, that are
    equal to rounding, and a text for a message."""
    if found == expected:
        return True, ""
    scores = score_of(found), score_of(expected)
    close = abs(scores[0] - scores[1]) <= TOLERANCE * max(1, abs(scores[1]))
    return close, f"{found[0]} (score {scores[0]:.6f}), wanted {expected[0]} (score {scores[1]:.6f})"
