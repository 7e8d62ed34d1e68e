"""Repository rules for what is not ours: pinned source archives and a few static libraries and tools of the system."""

_DEFAULT_DISTDIR = "third_party/distdir"

def _pin(ctx, repository):
    """The row of deps.lock that belongs to a repository."""
    for line in ctx.read(ctx.attr._lock).splitlines():
        fields = [field for field in line.split(" ") if field]
        if fields and fields[0] == repository:
            return struct(
                file = fields[2].split("/")[-1],
                sha256 = fields[3],
                suite = fields[1],
            )
    fail("third_party/deps.lock pins nothing for @%s." % repository)

def _run(ctx, command, what):
    result = ctx.execute(command)
    if result.return_code != 0:
        fail("@%s: could not %s: %s%s" % (ctx.name, what, result.stdout, result.stderr))
    return result.stdout

def _verified_archive(ctx, repository):
    """Path of the archive of a repository, after its hash was compared with the pinned one."""
    pin = _pin(ctx, repository)
    folder = ctx.os.environ.get("SLUICE_DISTDIR", "")
    if not folder:
        folder = str(ctx.path(ctx.attr._workspace).dirname) + "/" + _DEFAULT_DISTDIR
    archive = ctx.path(folder + "/" + pin.file)
    if not archive.exists:
        fail(("@%s needs %s (Debian %s), which is not in %s: run tools/bootstrap, " +
              "or put the file there by hand.") % (ctx.name, pin.file, pin.suite, folder))
    found = _run(ctx, ["sha256sum", "--binary", str(archive)], "hash " + pin.file).split(" ")[0].lstrip("\\")
    if found != pin.sha256:
        fail("%s has the hash %s instead of the pinned %s: remove it and run tools/bootstrap." %
             (archive, found, pin.sha256))
    return archive

def _unpack(ctx, archive, folder):
    if str(archive).endswith(".deb"):
        # What the package would install, below `folder` instead of below the root.
        _run(ctx, ["dpkg-deb", "-x", str(archive), str(ctx.path(folder))], "unpack " + str(archive))
        return

    # The name of the top folder differs from its package's name in half of Debian's archives, so it is cut off unread.
    ctx.file(folder + "/.unpacked", "")
    _run(
        ctx,
        ["tar", "-xf", str(archive), "-C", str(ctx.path(folder)), "--strip-components=1", "--no-same-owner"],
        "unpack " + str(archive),
    )
    ctx.delete(folder + "/.unpacked")

def _cmake_sources(ctx, paths):
    """The source lists of CMake files, by the name of the list, as text of a .bzl file.

    Upstream's own list is the truth about which files belong together; a copy of it here would have to be kept in step.
    """
    lists = {}
    for path in paths:
        name = None
        for line in ctx.read(path).splitlines():
            text = line.strip()
            if (text.startswith("add_library(") or text.startswith("set(")) and ")" not in text:
                name = text.split("(")[1]
                lists[name] = []
            elif text.startswith(")"):
                name = None
            elif name and (text.endswith(".c") or text.endswith(".cc")):
                lists[name].append(text.split("}/")[-1])
    return "SOURCES = {\n" + "".join([
        "    %r: %r,\n" % (name, sources)
        for name, sources in lists.items()
        if sources
    ]) + "}\n"

def _pinned_archive_impl(ctx):
    _unpack(ctx, _verified_archive(ctx, ctx.name), ".")
    if ctx.attr.patches:
        _unpack(ctx, _verified_archive(ctx, ctx.name + "_patches"), "_patches")
        for patch in ctx.attr.patches:
            _run(
                ctx,
                ["patch", "-p1", "--quiet", "--forward", "-i", "_patches/" + patch],
                "apply the patch " + patch,
            )
    if ctx.attr.cmake_lists:
        ctx.file("cmake_sources.bzl", _cmake_sources(ctx, ctx.attr.cmake_lists), executable = False)
    if ctx.attr.build_file:
        # Upstream's BUILD files would cut the tree into packages that our overlay cannot reach into.
        _run(
            ctx,
            ["find", ".", "-type", "f", "(", "-name", "BUILD", "-o", "-name", "BUILD.bazel", ")", "-delete"],
            "remove BUILD files",
        )
        ctx.symlink(ctx.attr.build_file, "BUILD.bazel")
    if not ctx.path("WORKSPACE").exists:
        ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name, executable = False)

pinned_archive = repository_rule(
    implementation = _pinned_archive_impl,
    doc = "What an archive pinned in deps.lock holds, with patches and an overlay of ours if it needs them.",
    attrs = {
        "build_file": attr.label(doc = "Takes the place of every BUILD file in the archive."),
        "cmake_lists": attr.string_list(doc = "CMake files whose source lists become cmake_sources.bzl."),
        "patches": attr.string_list(doc = "Files in the archive pinned as <name>_patches, in order."),
        "_lock": attr.label(default = "//third_party:deps.lock"),
        "_workspace": attr.label(default = "//:WORKSPACE"),
    },
    environ = ["SLUICE_DISTDIR"],
)

def _system_archive_impl(ctx):
    archive = _run(ctx, ["gcc", "-print-file-name=" + ctx.attr.archive], "ask gcc for " + ctx.attr.archive).strip()
    if not archive.startswith("/"):
        fail("%s is not installed: run tools/bootstrap." % ctx.attr.archive)
    ctx.symlink(archive, "lib/" + ctx.attr.archive)
    for header in ctx.attr.headers:
        ctx.symlink("/usr/include/" + header, "include/" + header)
    ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name, executable = False)
    ctx.file("BUILD.bazel", """\
load("@rules_cc//cc:defs.bzl", "cc_import", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_import(
    name = "archive",
    static_library = "lib/{archive}",
)

cc_library(
    name = "{name}",
    hdrs = {headers},
    includes = ["include"],
    linkopts = ["-pthread"],
    deps = [":archive"],
)
""".format(
        archive = ctx.attr.archive,
        headers = ["include/" + header for header in ctx.attr.headers],
        name = ctx.name,
    ), executable = False)

system_archive = repository_rule(
    implementation = _system_archive_impl,
    doc = "A static library of the distribution, so that our binaries do not ask for its shared one.",
    attrs = {
        "archive": attr.string(mandatory = True),
        "headers": attr.string_list(mandatory = True),
    },
    local = True,
)

def _system_tools_impl(ctx):
    for tool in ctx.attr.tools:
        path = ctx.which(tool)
        if not path:
            fail("%s is not installed: run tools/bootstrap." % tool)
        ctx.symlink(path, tool)
    ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name, executable = False)
    ctx.file("BUILD.bazel", "exports_files(%r, visibility = [\"//visibility:public\"])\n" % ctx.attr.tools, executable = False)

system_tools = repository_rule(
    implementation = _system_tools_impl,
    doc = "Programs of the distribution as labels, so that an action that runs one depends on its content.",
    attrs = {"tools": attr.string_list(mandatory = True)},
    local = True,
)
