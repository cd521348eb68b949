"""Runs the suites of a build side by side, each in a process of its own as ctest does, and counts their tests."""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import time
import xml.etree.ElementTree

SUITE_SECONDS = 900
OUTCOMES = ("passed", "failed", "skipped", "gpu_passed", "gpu_failed", "gpu_skipped")


def count(row, results):
    """Counts the tests of GoogleTest's XML. `gpu` are those that DeviceTest runs on the GPU."""
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        name, failure, skipped = case.get("name"), case.find("failure"), case.find("skipped")
        outcome = "failed" if failure is not None else "skipped" if skipped is not None else "passed"
        row[outcome] += 1
        row["gpu_" + outcome] += bool(re.search(r"(^|[/_])gpu($|_)", name))
        if failure is not None:
            row["failures"].append(f"{name}: {failure.get('message')[:300]}")
        elif skipped is not None:
            row["skips"].append(skipped.get("message").strip().split("\n")[-1])


def run_suite(test, work, variables, deadline):
    """Returns the counts of a suite, or None if time ran out before it ended."""
    properties = {each["name"]: each["value"] for each in test.get("properties", [])}
    command = test.get("command", ["not built"])
    row = {"suite": test["name"], "program": pathlib.Path(command[0]).name, "failures": [], "skips": [],
           **dict.fromkeys(OUTCOMES, 0)}
    place = work / re.sub(r"\W+", "_", test["name"])
    results, seconds = place.with_suffix(".xml"), min(SUITE_SECONDS, deadline - time.monotonic())
    results.unlink(missing_ok=True)
    if seconds <= 0:
        return None
    own = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
    with open(place.with_suffix(".txt"), "w+", errors="replace") as output:
        try:
            code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                  timeout=seconds, cwd=properties.get("WORKING_DIRECTORY"),
                                  env={**os.environ, **own, **variables, "GTEST_OUTPUT": f"xml:{results}"}
                                  ).returncode
        except subprocess.TimeoutExpired:
            if seconds < SUITE_SECONDS:
                return None
            code = f"none after {SUITE_SECONDS} s"
        except OSError as error:  # not built
            code = error.strerror
        output.seek(0)
        text = output.read().strip()[-300:]
    if results.exists():
        count(row, results)
    else:  # no GoogleTest, or it crashed
        row["passed"], row["skipped"] = int(code == 0), int(code == properties.get("SKIP_RETURN_CODE"))
        row["skips"] = [text] * row["skipped"]
    if code not in (0, properties.get("SKIP_RETURN_CODE")) and not row["failed"]:  # it failed after its tests, too
        row["failed"], row["failures"] = 1, [f"exit code {code}: {text}"]
    return row


def run_tests(build, work, pattern, variables, deadline, rows):
    """Runs the suites that match `pattern` and have no row yet. Returns the section of the report."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True)
    suites, done = json.loads(listed.stdout)["tests"], {row["suite"] for row in rows}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        found = threads.map(lambda test: run_suite(test, work, variables, deadline),
                            [test for test in suites if test["name"] not in done and re.search(pattern, test["name"])])
        rows = rows + [row for row in found if row]
    programs = {}
    for row in rows:
        programs.setdefault(row["program"], collections.Counter()).update({name: row[name] for name in OUTCOMES})
    return {"suites_not_run": len(suites) - len(rows), "programs": programs,
            "totals": {name: sum(row[name] for row in rows) for name in OUTCOMES},
            "failures": [f"{row['suite']}.{each}" for row in rows for each in row["failures"]],
            "skips": collections.Counter(each for row in rows for each in row["skips"]), "suites": rows}
