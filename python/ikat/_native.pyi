# The module that is compiled of native.c and of what cffi writes from the public headers.
from typing import Any

ffi: Any
lib: Any
