"""Cuts the Source families down to the faces and characters of the pages, into src/pages/style/fonts.

Needs Python 3, fonttools 4.68.0 with brotli, and the packages @fontsource-variable/source-sans-3, source-serif-4 and
source-code-pro, each 5.3.1, unpacked side by side:

    for family in sans-3 serif-4 code-pro; do
      npm pack @fontsource-variable/source-$family@5.3.1 && mkdir $family
      tar xzf fontsource-variable-source-$family-5.3.1.tgz -C $family
    done
    python3 scripts/pages/cut_fonts.py .

The fonts are under the SIL Open Font License 1.1, which keeps the name "Source" for the originals: what is cut has another.
"""

import hashlib
import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "ıŒœ–—‘’“”„•…‹›€™′″↑↓−")]
CODE = [*range(0x20, 0x7F), *map(ord, "·×éáíóú–—’“”…€↑↓")]

# Each face: folder, file, SHA-256 of the file, the axes as they stay, the characters.
FACES = {
    "sans": (
        "sans-3",
        "source-sans-3-latin-wght-normal",
        "19143dca075972bc84e3fd9eab7416dd40cc565dccb2435a044bdfabe060c7d5",
        {"wght": (400, 700)},
        LATIN,
    ),
    "serif": (
        "serif-4",
        "source-serif-4-latin-standard-normal",
        "f2ea9c12d2fe9bd3a9589b02ad2c0909da88f30938c91adc838c4f4098f9f9e0",
        {"wght": 480, "opsz": 48},
        LATIN,
    ),
    "mono": (
        "code-pro",
        "source-code-pro-latin-wght-normal",
        "8b774aaa5137a38ef40f4ac9d36db9a5eee152b2f66589dfdc82ff007fc87135",
        {"wght": 440},
        CODE,
    ),
}
TARGET = pathlib.Path(__file__).parents[2] / "src/pages/style/fonts"
FEATURES = ["kern", "liga", "tnum", "lnum", "mark", "ccmp", "locl", "pnum"]


def cut(folder: pathlib.Path, name: str) -> None:
    place, file, sha256, axes, characters = FACES[name]
    source = folder / place / "package/files" / f"{file}.woff2"
    found = hashlib.sha256(source.read_bytes()).hexdigest()
    if found != sha256:
        raise SystemExit(f"{file}: SHA-256 is {found}, not {sha256}")
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options()
    # Without them some systems round the widths of letters.
    options.hinting = True
    options.layout_features = FEATURES
    options.drop_tables += ["DSIG", "meta"]
    options.name_IDs = [1, 2, 4, 6]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    # Axes after characters: the other way round the subsetter looks for variations that are gone.
    instancer.instantiateVariableFont(font, axes, inplace=True)
    called = f"Countersign {name.capitalize()}"
    for record in font["name"].names:
        record.string = {2: "Regular", 6: called.replace(" ", "")}.get(record.nameID, called)
    font.flavor = "woff2"
    font.save(TARGET / f"{name}.woff2")


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for name in FACES:
        cut(pathlib.Path(sys.argv[1]), name)


main()
