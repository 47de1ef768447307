"""`python -m hoi_edit` is the hoi-edit command."""

import sys

from hoi_edit.cli import main

sys.exit(main())
