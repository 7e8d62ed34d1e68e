"""C++ from .proto files, by the protoc and grpc_cpp_plugin of the system.

They are programs like the compiler, and their versions match the runtimes that are built from source here.
"""

_ProtoFiles = provider(
    doc = "The .proto files of a library and of everything that it imports.",
    fields = {
        "direct": "The library's own files, a list.",
        "root": "The folder that imports of the library's own files are relative to.",
        "roots": "Depset of the folders to give to protoc.",
        "transitive": "Depset of files.",
    },
)

def _repository_root(label, prefix):
    # The execution path of the repository that the label lives in.
    parts = [part for part in [label.workspace_root, prefix] if part]
    return "/".join(parts) if parts else "."

def _proto_library_impl(ctx):
    root = _repository_root(ctx.label, ctx.attr.import_root)
    imported = [dep[_ProtoFiles] for dep in ctx.attr.deps]
    return [
        DefaultInfo(files = depset(ctx.files.srcs)),
        _ProtoFiles(
            direct = ctx.files.srcs,
            root = root,
            roots = depset([root], transitive = [files.roots for files in imported]),
            transitive = depset(ctx.files.srcs, transitive = [files.transitive for files in imported]),
        ),
    ]

proto_files = rule(
    implementation = _proto_library_impl,
    attrs = {
        "deps": attr.label_list(providers = [_ProtoFiles]),
        "import_root": attr.string(doc = "Folder of the repository that imports are relative to."),
        "srcs": attr.label_list(allow_files = [".proto"]),
    },
)

def _generated_cc_impl(ctx):
    files = ctx.attr.proto[_ProtoFiles]
    headers = []
    sources = []
    for proto in files.direct:
        stem = proto.basename[:-len(".proto")]
        headers.append(ctx.actions.declare_file(stem + ctx.attr.suffix + ".h", sibling = proto))
        sources.append(ctx.actions.declare_file(stem + ctx.attr.suffix + ".cc", sibling = proto))

    # Both protoc and Bazel mirror the tree of the sources, so the outputs meet where both expect them.
    out = _repository_root(ctx.label, "")
    out = ctx.bin_dir.path + ("" if out == "." else "/" + out)
    arguments = ctx.actions.args()
    arguments.add_all(files.roots, format_each = "-I%s")
    if ctx.executable.plugin:
        arguments.add(ctx.executable.plugin, format = "--plugin=protoc-gen-plugin=%s")
        arguments.add(out, format = "--plugin_out=%s")
    else:
        arguments.add(out, format = "--cpp_out=%s")
    arguments.add_all(files.direct)
    ctx.actions.run(
        arguments = [arguments],
        executable = ctx.executable._protoc,
        inputs = files.transitive,
        mnemonic = "GenerateProto",
        outputs = headers + sources,
        progress_message = "Generating C++ of %s" % ctx.label,
        tools = [ctx.executable.plugin] if ctx.executable.plugin else [],
    )
    return [
        DefaultInfo(files = depset(headers + sources)),
        OutputGroupInfo(headers = depset(headers), sources = depset(sources)),
    ]

_generated_cc = rule(
    implementation = _generated_cc_impl,
    attrs = {
        "plugin": attr.label(allow_single_file = True, cfg = "exec", executable = True),
        "proto": attr.label(mandatory = True, providers = [_ProtoFiles]),
        "suffix": attr.string(mandatory = True),
        "_protoc": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = "@protobuf_tools//:protoc",
            executable = True,
        ),
    },
)

def generated_cc_library(name, proto, suffix, plugin, deps, **kwargs):
    """A cc_library of what protoc makes of one proto library."""
    common = {key: kwargs[key] for key in ["testonly"] if key in kwargs}
    _generated_cc(
        name = name + "_files",
        plugin = plugin,
        proto = proto,
        suffix = suffix,
        visibility = ["//visibility:private"],
        **common
    )
    for group in ["headers", "sources"]:
        native.filegroup(
            name = name + "_" + group,
            srcs = [":%s_files" % name],
            output_group = group,
            visibility = ["//visibility:private"],
            **common
        )
    native.cc_library(
        name = name,
        srcs = [":%s_sources" % name],
        hdrs = [":%s_headers" % name],
        # Nobody can act on a warning in generated code.
        copts = ["-w"],
        deps = deps,
        **kwargs
    )
