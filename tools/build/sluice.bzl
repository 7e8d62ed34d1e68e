"""The rules that BUILD files of Sluice use. They alone call Bazel's C++ rules, so that one file changes when those do."""

load(":proto.bzl", "generated_cc_library", "proto_files")

# Errors in our code only: third-party code is compiled without warnings (.bazelrc).
_COPTS = [
    "-Wall",
    "-Wextra",
    "-Wnon-virtual-dtor",
    "-Wshadow",
    "-Werror",
]

def sluice_cc_library(name, copts = [], **kwargs):
    native.cc_library(name = name, copts = _COPTS + copts, **kwargs)

def sluice_cc_binary(name, copts = [], **kwargs):
    native.cc_binary(name = name, copts = _COPTS + copts, **kwargs)

def sluice_cc_test(name, size = "small", copts = [], deps = [], **kwargs):
    """A GoogleTest test. Has a main; write none."""
    native.cc_test(
        name = name,
        size = size,
        copts = _COPTS + copts,
        deps = deps + ["//base/testing:gtest_main"],
        **kwargs
    )

def sluice_cc_benchmark(name, srcs, copts = [], deps = [], data = [], tags = [], size = "small", **kwargs):
    """A Google Benchmark binary, and a smoke test that runs it for a moment so that it does not rot."""
    native.cc_library(
        name = name + "_lib",
        testonly = True,
        srcs = srcs,
        copts = _COPTS + copts,
        deps = deps + ["//base/testing:benchmark"],
        # Nothing refers to a benchmark by name: without this the linker would drop all of them.
        alwayslink = True,
        visibility = ["//visibility:private"],
    )
    native.cc_binary(
        name = name,
        testonly = True,
        data = data,
        tags = tags + ["benchmark"],
        deps = [":%s_lib" % name, "//base/testing:benchmark_main"],
        **kwargs
    )
    native.cc_test(
        name = name + "_smoke_test",
        size = size,
        args = ["--benchmark_min_time=0.001s"],
        data = data,
        tags = tags + ["benchmark_smoke"],
        deps = [":%s_lib" % name, "//base/testing:benchmark_main"],
    )

def sluice_cc_fuzz_test(name, srcs, corpus, size = "small", copts = [], deps = [], tags = []):
    """A test that replays its corpus; under --config=fuzz a libFuzzer binary that begins with it and searches on.

    To be run, not tested, then: it ends when it found something or when an option such as -max_total_time says so.

    Args:
      name: Of the target.
      srcs: Define LLVMFuzzerTestOneInput.
      corpus: Files that are inputs, one each.
      size: As of any test.
      copts: As of any test.
      deps: As of any test.
      tags: As of any test.
    """
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs + select({
            "//conditions:default": ["//tools/build:replay_main.cc"],
            "//tools/build:fuzzing": [],
        }),
        args = select({
            "//conditions:default": ["$(location %s)" % file for file in corpus],
            # As seeds and not as arguments, which libFuzzer would only replay.
            "//tools/build:fuzzing": ["-seed_inputs=" + ",".join(["$(location %s)" % file for file in corpus])],
        }),
        copts = _COPTS + copts,
        data = corpus,
        # At link time of these targets only: the option brings a main with it.
        linkopts = select({
            "//conditions:default": [],
            "//tools/build:fuzzing": ["-fsanitize=fuzzer"],
        }),
        tags = tags + ["fuzz"],
        deps = deps,
    )

def sluice_proto_library(name, srcs, deps = [], import_root = "", **kwargs):
    """Files that import each other by their path from the root of the repository.

    Imports of google/protobuf/*.proto need no entry in deps; google/rpc/*.proto is @googleapis_rpc//:rpc_proto.
    """
    proto_files(
        name = name,
        srcs = srcs,
        import_root = import_root,
        deps = deps + ["@com_google_protobuf//:well_known_protos"],
        **kwargs
    )

def sluice_cc_proto_library(name, proto, deps = [], **kwargs):
    """The messages of one proto library, as <path of the file>.pb.h.

    Args:
      name: Of the C++ library.
      proto: The sluice_proto_library.
      deps: The C++ libraries of the proto libraries that it imports, except google/protobuf.
      **kwargs: For the C++ library.
    """
    generated_cc_library(
        name = name,
        plugin = None,
        proto = proto,
        suffix = ".pb",
        deps = deps + ["@com_google_protobuf//:protobuf"],
        **kwargs
    )

def sluice_cc_grpc_library(name, proto, deps, **kwargs):
    """The services of one proto library, as <path of the file>.grpc.pb.h.

    Args:
      name: Of the C++ library.
      proto: The sluice_proto_library. Every file in it needs a service or makes an empty source, which is fine.
      deps: The sluice_cc_proto_library of the same files.
      **kwargs: For the C++ library.
    """
    generated_cc_library(
        name = name,
        plugin = "@protobuf_tools//:grpc_cpp_plugin",
        proto = proto,
        suffix = ".grpc.pb",
        deps = deps + ["@com_github_grpc_grpc//:grpc++"],
        **kwargs
    )
