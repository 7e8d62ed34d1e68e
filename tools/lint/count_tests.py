#!/usr/bin/env python3
"""Prints `passed failed` of one `bazel test`, counted in test cases.

usage: count_tests.py BUILD_EVENT_JSON_FILE BAZEL_EXIT_CODE

A target's cases are in the test.xml that Bazel names in its events. A target that left none (a
crash, a time-out, a script) counts as one case. A build that failed counts as one failure, so that
no error can hide behind passing tests.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def cases(xml_path):
    """(passed, failed) of one test.xml."""
    passed = failed = 0
    for case in ElementTree.parse(xml_path).iter("testcase"):
        if case.get("status") == "notrun" or case.find("skipped") is not None:
            continue
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        else:
            passed += 1
    return passed, failed


def target_cases(result):
    """(passed, failed) of one testResult event."""
    ok = result["status"] == "PASSED"
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path))
            try:
                passed, failed = cases(path)
            except (OSError, ElementTree.ParseError):
                break
            if ok and failed == 0 and passed > 0:
                return passed, 0
            if not ok and failed > 0:
                return passed, failed
    return (1, 0) if ok else (0, 1)


def main():
    passed = failed = 0
    with open(sys.argv[1], encoding="utf-8") as events:
        for line in events:
            event = json.loads(line)
            if "testResult" in event and "testResult" in event["id"]:
                target_passed, target_failed = target_cases(event["testResult"])
                passed, failed = passed + target_passed, failed + target_failed
    if int(sys.argv[2]) != 0 and failed == 0:
        failed = 1
    print(passed, failed)


if __name__ == "__main__":
    main()
