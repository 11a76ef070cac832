"""ikat for Spack. The sources have no public address: `spack dev-build` builds the tree that it is started in.

    spack repo add packaging/spack
    spack dev-build ikat@0.1.0
"""
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Ikat(CMakePackage):
    """Designs, proves, analyses and simulates interconnection networks of supercomputers and datacentres."""

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=True, description="The recorder of MPI programs")
    variant("serve", default=True, description="Reports in a browser while a run goes on (ikat serve)")
    variant("otf2", default=True, description="Traces in Open Trace Format 2")
    variant("python", default=False, description="The Python package")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("cairo +pdf +png +ft +fc")
    depends_on("jansson")
    depends_on("libmd")
    depends_on("libyaml")
    depends_on("metis@5:")
    depends_on("random123", type="build")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("otf2@3:", when="+otf2")
    depends_on("libmicrohttpd", when="+serve")
    depends_on("mpi", when="+mpi")
    with when("+python"):
        extends("python@3.11:")
        depends_on("py-cffi", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))

    def cmake_args(self):
        """No tests, which need programs that Spack does not have; the optional parts as the variants say."""
        args = [
            self.define("IKAT_TESTS", False),
            self.define("IKAT_OPENSM", "OFF"),
            self.define("IKAT_MPI_COMPILERS", self.spec["mpi"].mpicc if self.spec.satisfies("+mpi") else ""),
            self.define_from_variant("IKAT_PYTHON", "python"),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("IKAT_PYTHON_EXECUTABLE", python.path))
        return args

    def setup_run_environment(self, env):
        """The Python package lies where Debian has its packages."""
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.lib.python3.join("dist-packages"))
