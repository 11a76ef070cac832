"""All cases of test_collapse.py."""
import unittest

import test_collapse


class CollapseAll(test_collapse.Collapse):
    def cases(self):
        return self.everything()

    test_what_is_known_to_collapse = None  # test_collapse.py has it


if __name__ == "__main__":
    unittest.main()
