#!/usr/bin/env python3
"""Checks what the compiler does not: format, layout, includes, and the drawing of the architecture.

Prints one line per check and one per finding; exits 1 when there is any. `--format` rewrites sources
with clang-format instead. `--no-query` leaves out the checks that ask Bazel.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
RULES = tomllib.loads((TOP / "tools/lint/rules.toml").read_text())
# What people run; nothing need depend on them.
BINARIES = (":sluice_gateway",)
ROOMS = ("base", "srtp", "interceptor", "quic", "gateway", "proto")
TEXT_SUFFIXES = {".h", ".cc", ".proto", ".py", ".bzl", ".bazel", ".md", ".sh", ".toml", ".txt"}


def git_files():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (TOP / name).is_file()]


def is_cpp(name):
    return name.endswith((".h", ".cc"))


def is_test_code(name):
    stem = pathlib.PurePath(name).stem
    return (stem.endswith(("_test", "_benchmark", "_fuzz")) or "/testing/" in name
            or name.startswith(("tests/", "tools/")))


def read(name):
    return (TOP / name).read_text(encoding="utf-8", errors="replace")


def longest_prefix(table, name):
    hits = [key for key in table if name == key or name.startswith(key + "/")]
    return max(hits, key=len, default=None)


def check_format(files):
    """clang-format 14 would change nothing."""
    tool = shutil.which("clang-format-14")
    if tool is None:
        yield "clang-format-14 is missing: run tools/bootstrap"
        return
    result = subprocess.run([tool, "--dry-run", "--ferror-limit=1"] + [f for f in files if is_cpp(f)],
                            cwd=TOP, capture_output=True, text=True)
    for line in result.stderr.splitlines():
        if "warning:" in line or "error:" in line:
            yield line


def check_text(files):
    """No tabs, trailing blanks, overlong lines; a newline at the end; one title per page."""
    for name in files:
        if pathlib.PurePath(name).suffix not in TEXT_SUFFIXES or "/corpus/" in name:
            continue
        text = read(name)
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
        for number, line in enumerate(text.splitlines(), 1):
            if line != line.rstrip():
                yield f"{name}:{number}: trailing blank"
            if "\t" in line:
                yield f"{name}:{number}: tab"
            if is_cpp(name) and len(line) > RULES["limits"]["columns"] and "http" not in line:
                yield f"{name}:{number}: {len(line)} columns"
        if name.endswith(".md"):
            prose = re.sub(r"```.*?```", "", text, flags=re.S)
            titles = re.findall(r"^# ", prose, flags=re.M)
            if len(titles) != 1:
                yield f"{name}: {len(titles)} titles, want one"


def check_guards(files):
    """Header guards are made of the path."""
    for name in files:
        if name.endswith(".h"):
            want = re.sub(r"[^A-Za-z0-9]", "_", name).upper() + "_"
            if f"#ifndef {want}\n#define {want}\n" not in read(name):
                yield f"{name}: header guard is not {want}"


def check_includes(files):
    """Each folder includes only the system headers that rules.toml grants it."""
    standard = re.compile(r"^[a-z_0-9]+$")
    for name in files:
        if not is_cpp(name) or is_test_code(name):
            continue
        key = longest_prefix(RULES["includes"], name)
        if key is None:
            continue
        rule = RULES["includes"][key]
        for number, line in enumerate(read(name).splitlines(), 1):
            match = re.match(r"#include <([^>]+)>", line)
            if not match:
                continue
            header = match.group(1)
            if header in rule["banned"]:
                yield f"{name}:{number}: <{header}> is not for {key}"
            elif not standard.match(header) and not any(header.startswith(s) for s in rule["system"]):
                yield f"{name}:{number}: <{header}> is not for {key}"


def check_bans(files):
    """Words with a better replacement are not used."""
    for name in files:
        if not name.endswith((".h", ".cc", ".py", ".sh", ".bzl")) or name.startswith("tools/lint/"):
            continue
        lines = read(name).splitlines()
        for ban in RULES["ban"]:
            where = ban.get("where")
            if where and not any(name.startswith(w + "/") for w in where):
                continue
            if where and is_test_code(name):
                continue
            if any(name.startswith(e) for e in ban.get("except", [])):
                continue
            if f"{name}: {ban['pattern']}" in RULES["ban_exceptions"]:
                continue
            for number, line in enumerate(lines, 1):
                if re.search(ban["pattern"], line.split("//")[0] if is_cpp(name) and
                             not re.search(ban["pattern"], "TODO NOLINT") else line):
                    yield f"{name}:{number}: use {ban['say']} instead of /{ban['pattern']}/"


def functions(text):
    """(first line, line count) of what starts at column 0 with an open brace and ends with `}`."""
    start = None
    for number, line in enumerate(text.splitlines(), 1):
        if start is None:
            if re.match(r"[A-Za-z]", line) and not re.match(
                    r"(namespace|class|struct|enum|union|extern|using|constexpr|inline constexpr|const)\b",
                    line):
                start = number
        if start is not None:
            if re.match(r"\}", line):
                yield start, number - start + 1
                start = None
            elif re.search(r"[;}]$", line) and re.match(r"\S", line):
                # A declaration, or a whole function in one line.
                start = None


def check_lengths(files):
    """Files and functions are short, or listed with a reason."""
    limits = RULES["limits"]
    for name in files:
        if not name.endswith((".h", ".cc", ".py", ".bzl", ".sh")):
            continue
        text = read(name)
        count = text.count("\n")
        if count > limits["file_lines"] and name not in RULES["long_files"]:
            yield f"{name}: {count} lines, limit {limits['file_lines']}"
        if name.endswith(".cc"):
            for first, length in functions(text):
                if length > limits["function_lines"] and name not in RULES["long_functions"]:
                    yield f"{name}:{first}: function of {length} lines, limit {limits['function_lines']}"


def check_layout(files):
    """Every source is in its folder's BUILD file, has its header, and a test beside it."""
    present = set(files)
    for name in files:
        path = pathlib.PurePath(name)
        if not name.endswith((".h", ".cc", ".proto")) or name.startswith("third_party/"):
            continue
        build = path.parent / "BUILD.bazel"
        if str(build) not in present:
            yield f"{name}: {build} is missing"
            continue
        if f'"{path.name}"' not in read(str(build)):
            yield f"{name}: not named in {build}"
        if not name.endswith(".cc") or is_test_code(name) or path.name.endswith("main.cc"):
            continue
        if str(path.with_suffix(".h")) not in present:
            yield f"{name}: has no header of the same name"
        test = str(path.with_name(path.stem + "_test.cc"))
        if test not in present and name not in RULES["untested"]:
            yield f"{name}: has no {path.stem}_test.cc"
    for table in ("untested", "long_files", "long_functions"):
        for name in RULES[table]:
            if name not in present:
                yield f"rules.toml: [{table}] names {name}, which is gone"


def check_data(files):
    """Every fuzz target has a corpus, every vector file a test that reads it."""
    sources = {f: read(f) for f in files if f.endswith((".cc", ".bazel"))}
    for name in files:
        if name.startswith("tests/fuzz/") and name.endswith("_fuzz.cc"):
            stem = pathlib.PurePath(name).stem
            if not any(f.startswith(f"tests/fuzz/corpus/{stem}/") for f in files):
                yield f"{name}: no corpus in tests/fuzz/corpus/{stem}/"
        if name.startswith("tests/vectors/") and name.endswith(".txt"):
            if not any(name in text for f, text in sources.items() if f.endswith("_test.cc")):
                yield f"{name}: no test reads it"


def room_of(label):
    """//gateway/session:x -> gateway/session; None for other repositories."""
    match = re.match(r"//([^:]*):", label)
    if not match:
        return None
    folder = match.group(1)
    parts = folder.split("/")
    if parts[0] not in ROOMS:
        return None
    if parts[0] in ("gateway", "interceptor", "quic") and len(parts) > 1:
        return "/".join(parts[:2])
    if parts[:2] == ["srtp", "crypto"]:
        return "srtp/crypto"
    return parts[0]


def bazel_query():
    """name -> (testonly, direct inputs, class) of every rule of ours."""
    result = subprocess.run(
        ["bazel", "query", "--noimplicit_deps", "--output=xml", "--color=no", "--noshow_progress",
         "kind(rule, //...)"], cwd=TOP, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError("bazel query failed:\n" + result.stderr[-2000:])
    rules = {}
    for rule in ElementTree.fromstring(result.stdout.replace('version="1.1"', 'version="1.0"')).iter("rule"):
        testonly = any(b.get("name") == "testonly" and b.get("value") == "true"
                       for b in rule.findall("boolean"))
        kind = rule.get("class")
        rules[rule.get("name")] = (testonly or kind.endswith("_test") or kind == "test_suite",
                                   [i.get("name") for i in rule.findall("rule-input")], kind)
    return rules


def drawn_edges():
    """The block in ARCHITECTURE.md that starts with ```rooms: `room -> room room`."""
    match = re.search(r"```rooms\n(.*?)```", read("ARCHITECTURE.md"), flags=re.S)
    if not match:
        return None
    edges = {}
    for line in match.group(1).splitlines():
        if "->" in line:
            left, right = line.split("->")
            edges[left.strip()] = set(right.split()) - {"nothing"}
    return edges


def check_drawing(rules):
    """ARCHITECTURE.md draws exactly the dependencies that the product's targets have."""
    real = collections.defaultdict(set)
    for name, (testonly, inputs, _) in rules.items():
        room = room_of(name)
        if room is None or testonly or "/testing:" in name:
            continue
        real[room]
        for label in inputs:
            other = room_of(label)
            if other is not None and other != room and label in rules:
                real[room].add(other)
    drawn = drawn_edges()
    if drawn is None:
        yield "ARCHITECTURE.md: no ```rooms block"
        return
    for room in sorted(set(real) | set(drawn)):
        for other in sorted(real.get(room, set()) - drawn.get(room, set())):
            yield f"{room} -> {other} is built but not drawn in ARCHITECTURE.md"
        for other in sorted(drawn.get(room, set()) - real.get(room, set())):
            yield f"{room} -> {other} is drawn in ARCHITECTURE.md but not built"
        if room not in drawn:
            yield f"room {room} is not drawn in ARCHITECTURE.md"
        if room not in real:
            yield f"room {room} is drawn in ARCHITECTURE.md but has no target"
    # A drawing with a ring in it is no layering.
    order, state = [], {}

    def visit(room, trail):
        if state.get(room) == "done":
            return
        if state.get(room) == "open":
            order.append(" -> ".join(trail + [room]))
            return
        state[room] = "open"
        for other in sorted(drawn.get(room, ())):
            visit(other, trail + [room])
        state[room] = "done"

    for room in sorted(drawn):
        visit(room, [])
    for ring in order:
        yield f"ARCHITECTURE.md: ring {ring}"


def check_targets(rules):
    """Product code uses no test code, and every library is used by somebody but its own test."""
    users = collections.defaultdict(set)
    for name, (_, inputs, _) in rules.items():
        for label in inputs:
            users[label].add(name)
    for name, (testonly, inputs, _) in rules.items():
        if testonly or room_of(name) is None:
            continue
        for label in inputs:
            if re.match(r"//(tests|tools/(?!build))", label):
                yield f"{name} depends on {label}"
        own = re.compile(re.escape(name) + r"_(test|benchmark|benchmark_lib)$")
        if not name.endswith(BINARIES) and name not in RULES["waiting"] and not any(
                not own.match(user) and rules[user][2] != "test_suite" for user in users[name]):
            yield f"{name} is used by nothing but its own test"


def check_bug_ids(files):
    """Every SLUICE_BUG has an id of its own."""
    seen = {}
    for name in files:
        if is_cpp(name) and not is_test_code(name) and not name.startswith("base/check"):
            for bug in re.findall(r"SLUICE_BUG\((\w+)\)", read(name)):
                if bug in seen:
                    yield f"{name}: SLUICE_BUG({bug}) is also in {seen[bug]}"
                seen[bug] = name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--format", action="store_true", help="rewrite sources with clang-format")
    parser.add_argument("--no-query", action="store_true", help="leave out what asks Bazel")
    options = parser.parse_args()
    files = git_files()
    if options.format:
        subprocess.run(["clang-format-14", "-i"] + [f for f in files if is_cpp(f)], cwd=TOP, check=True)
        return 0
    passed = failed = 0
    checks = [(c, files) for c in (check_format, check_text, check_guards, check_includes, check_bans,
                                   check_lengths, check_layout, check_data,
                                   check_bug_ids)]
    if not options.no_query:
        rules = bazel_query()
        checks += [(check_drawing, rules), (check_targets, rules)]
    for check, argument in checks:
        findings = list(check(argument))
        print(f"{'FAIL' if findings else 'ok  '} {check.__name__[6:]}: {check.__doc__.splitlines()[0]}")
        for finding in findings:
            print(f"     {finding}")
        passed, failed = passed + (not findings), failed + bool(findings)
    print(f"lint: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
