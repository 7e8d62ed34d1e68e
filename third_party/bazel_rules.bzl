"""The repositories that Bazel itself asks for and would download: Debian packages them, so they are taken from the system."""

_RULES = "/usr/share/bazel/rules/"
_TOOLS = "/usr/share/bazel/tools/"

def _debian_rules_cc_impl(ctx):
    result = ctx.execute(["cp", "-R", _RULES + "cc/.", "."])
    if result.return_code != 0:
        fail("Debian's bazel-rules-cc is not installed: run tools/bootstrap. " + result.stderr)

    # Two files call a function that Bazel 4.2.3 does not have. What it returns in newer versions works in all of them.
    for name in ["cc_flags_supplier", "compiler_flag"]:
        path = "cc/private/rules_impl/%s.bzl" % name
        text = ctx.read(path)
        text = text.replace(", \"use_cpp_toolchain\"", "")
        text = text.replace("use_cpp_toolchain()", "[\"@bazel_tools//tools/cpp:toolchain_type\"]")
        ctx.file(path, text, executable = False)

_debian_rules_cc = repository_rule(implementation = _debian_rules_cc_impl)

def bazel_rules():
    """Defines them. Has to come first in WORKSPACE: Bazel keeps the first definition of a name."""
    _debian_rules_cc(name = "rules_cc")
    native.local_repository(name = "rules_java", path = _RULES + "java")
    native.local_repository(name = "rules_proto", path = _RULES + "proto")
    native.local_repository(name = "bazel_skylib", path = _TOOLS + "skylib")
    native.local_repository(name = "platforms", path = _TOOLS + "platforms")

    # Only coverage runs use it, and only when they ask for a report. An empty stand-in keeps Bazel from downloading it.
    native.new_local_repository(
        name = "remote_coverage_tools",
        build_file_content = """
filegroup(
    name = "coverage_report_generator",
    visibility = ["//visibility:public"],
)
""",
        path = "third_party/empty",
    )
