"""What arguments may be: names for the annotations of the package."""
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Sequence, SupportsIndex, Tuple, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ikat._core import Progress
    from ikat._traffic import Traffic

Text = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]  #: names, specifications, paths
Whole = SupportsIndex  #: whole numbers, those of numpy too
Quantity = Union[SupportsIndex, str, bytes]  #: a number of base units, or a text with a unit ("8 GiB")
Real = Union[float, str, bytes, "np.integer[Any]", "np.floating[Any]"]  #: a number, or a text with a percent sign
Wholes = Union[Sequence[SupportsIndex], npt.NDArray[Any]]  #: a list of whole numbers
Values = Union[Sequence[Real], npt.NDArray[Any]]  #: a list of numbers
Scalar = Union[bool, SupportsIndex, float, Text, "np.floating[Any]", "np.bool_"]
Setting = Union[Scalar, List[Any], Tuple[Any, ...], npt.NDArray[Any], Dict[str, Any], None]  #: the value of a declared parameter
Pattern = Union["Traffic", str, bytes]  #: an argument `traffic`
Report = Union[bool, Callable[["Progress"], object], None]  #: an argument `progress`
Arrays = Dict[str, Any]  #: numbers, texts and arrays by name
