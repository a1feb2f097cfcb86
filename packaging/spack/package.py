# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe; docs/install.md says how to add it to a Spack."""
from spack.package import *

try:  # since Spack 1.0
    from spack_repo.builtin.build_systems.meson import MesonPackage
except ImportError:
    from spack.build_systems.meson import MesonPackage


# Those of reporter/page/d3.js, in the versions that Debian 12 has.
D3 = ("d3-array@3", "d3-axis@1", "d3-brush@1", "d3-dispatch@1", "d3-hierarchy@1", "d3-scale@2", "d3-selection@1", "d3-shape@1")


class Evprof(MesonPackage):
    """Profiler of unmodified programs: where the time went, and why, with more hardware events than the CPU
    has counters, and error bars."""

    homepage = "https://example.org/evprof"
    git = "https://example.org/evprof.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("reporter", default=True, description="Build evreport, which makes reports of traces")
    variant("calibration", default=True, description="Build evcal, which derives a CPU's metrics")
    variant("loops", default=True, when="+reporter", description="Find loops in programs")
    variant("sqlite", default=True, when="+reporter", description="Export traces to SQLite")
    variant("papi", default=True, description="Count what PAPI's components read")
    variant("page", default=True, when="+reporter", description="Write reports as HTML pages, by esbuild and D3 of npm")
    variant("mpi", default=False, when="+reporter", description="Build evreport-reduce, which ranks of MPI run")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("zlib-api")
    depends_on("libdeflate")
    # loaded where an event's name or an option asks for it
    depends_on("libpfm4")
    depends_on("libunwind")
    depends_on("papi", when="+papi")
    with when("+reporter"):
        depends_on("binutils+libiberty")
        depends_on("elfutils")
    for part in ("+reporter", "+calibration"):
        depends_on("json-c", when=part)
        depends_on("openblas", when=part)
    depends_on("netlib-lapack+lapacke", when="+calibration")
    depends_on("capstone", when="+loops")
    depends_on("sqlite", when="+sqlite")
    depends_on("npm", type="build", when="+page")
    depends_on("mpi", when="+mpi")

    def setup_build_environment(self, env):
        modules = join_path(self.stage.path, "node_modules")
        env.prepend_path("NODE_PATH", modules)
        env.prepend_path("PATH", join_path(modules, ".bin"))

    @run_before("meson")
    def install_modules(self):
        """What the page's script is made by and of."""
        if self.spec.satisfies("+page"):
            which("npm")("install", "--prefix", self.stage.path, "--no-save", *D3, "esbuild@0.17")

    def meson_args(self):
        parts = ("reporter", "calibration", "sqlite", "papi", "page", "mpi")
        args = [f"-D{part}={'enabled' if self.spec.satisfies('+' + part) else 'disabled'}" for part in parts]
        args.append(f"-Dcapstone={'enabled' if self.spec.satisfies('+loops') else 'disabled'}")
        return args + ["-Dtests=disabled"]
