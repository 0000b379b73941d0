"""Where the tests find the project and the shared data beside it; whoever needs these skips where they are absent."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"
SHARED_DATA = SHARED / "data"
ORACLES = SHARED / "oracles"
SDCMICRO = ORACLES / "sdcmicro"
ARX = ORACLES / "arx"

# Every list of packages that the project asks for.
REQUIREMENTS = (PROJECT / "requirements.txt", *sorted((PROJECT / "requirements").glob("*.txt")))
