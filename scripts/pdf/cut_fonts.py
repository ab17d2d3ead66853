"""Cuts Source Sans 3 down to what reports are written with, into src/reports/pdf/fonts.

countersign-sans.json has the measures of both faces; countersign-sans-regular.zlib and -bold.zlib are their deflated programs.

Needs Python 3 and fonttools 4.68.0, and the package @expo-google-fonts/source-sans-3 0.4.1 unpacked:

    npm pack @expo-google-fonts/source-sans-3@0.4.1 && tar xzf expo-google-fonts-source-sans-3-0.4.1.tgz
    python3 scripts/pdf/cut_fonts.py package

The fonts are under the SIL Open Font License 1.1, which keeps the name "Source" for the originals: what is cut has another.
"""

import hashlib
import io
import json
import pathlib
import sys
import zlib

from fontTools import subset
from fontTools.ttLib import TTFont

FACES = {
    "regular": ("400Regular", "393fb5b878ceed04aebc34b097e853ae5138c51d0c34b496ce8e2b47e0d0b94a"),
    "bold": ("700Bold", "7109021766e915ecd9721e28d11dfc732d57affda49e4ca15bb6d1529add7fdd"),
}
TARGET = pathlib.Path(__file__).parents[2] / "src/reports/pdf/fonts"

# The three scripts of the European Union's languages, with the dotted consonants of older Irish spelling.
CHARACTERS = [
    *range(0x20, 0x7F),
    *range(0xA1, 0xAD),
    *range(0xAE, 0x180),
    *(0x218, 0x219, 0x21A, 0x21B, 0x1E9E),
    *map(ord, "ḂḃĊċḊḋḞḟĠġṀṁṖṗṠṡṪṫẀẁẂẃẄẅỲỳ"),
    *(point for point in range(0x384, 0x3CF) if point not in (0x38B, 0x38D, 0x3A2)),
    *range(0x400, 0x460),
    *(0x490, 0x491),
    *map(ord, "–—‘’‚“”„†•…‰′″‹›€−≈≠≤≥←↑→↓✓✗□"),
]


def cut(folder: pathlib.Path, name: str) -> dict[str, object]:
    weight, sha256 = FACES[name]
    source = (folder / weight / f"SourceSans3_{weight}.ttf").read_bytes()
    found = hashlib.sha256(source).hexdigest()
    if found != sha256:
        raise SystemExit(f"{weight}: SHA-256 is {found}, not {sha256}")
    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.notdef_outline = True
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "STAT", "name", "post", "OS/2", "gasp", "meta", "DSIG"]
    cap_height, weight_class = font["OS/2"].sCapHeight, font["OS/2"].usWeightClass
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    order = {glyph: number for number, glyph in enumerate(font.getGlyphOrder())}
    glyphs = {point: order[glyph] for point, glyph in sorted(font.getBestCmap().items())}
    widths = [font["hmtx"][glyph][0] for glyph in font.getGlyphOrder()]
    head, hhea = font["head"], font["hhea"]
    if head.unitsPerEm != 1000:
        raise SystemExit("the widths are not in thousandths")
    del font["cmap"]
    file = io.BytesIO()
    font.save(file)
    (TARGET / f"countersign-sans-{name}.zlib").write_bytes(zlib.compress(file.getvalue(), 9))
    return {
        "name": f"CountersignSans-{name.capitalize()}",
        "weight": weight_class,
        "ascent": hhea.ascent,
        "descent": hhea.descent,
        "capHeight": cap_height,
        "box": f"{head.xMin} {head.yMin} {head.xMax} {head.yMax}",
        "characters": "".join(map(chr, glyphs)),
        "glyphs": " ".join(map(str, glyphs.values())),
        "widths": " ".join(map(str, widths)),
        "length": len(file.getvalue()),
    }


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    document = {
        "copyright": "Copyright 2010-2020 Adobe (http://www.adobe.com/), with Reserved Font Name 'Source'.",
        "license": "SIL Open Font License 1.1, see OFL.txt. A modified version: cut to fewer glyphs, without hinting.",
        **{name: cut(folder, name) for name in FACES},
    }
    (TARGET / "countersign-sans.json").write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


main()
