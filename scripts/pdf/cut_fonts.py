"""Cuts Source Sans 3 and Source Serif 4 down to what reports are written with, into src/reports/pdf/fonts.

faces.json has the measures of each face; countersign-sans-regular.zlib and the others are their deflated programs.

Needs Python 3 and fonttools 4.68.0, and the packages @expo-google-fonts/source-sans-3 and source-serif-4 0.4.1 unpacked:

    for family in sans-3 serif-4; do
      npm pack @expo-google-fonts/source-$family@0.4.1 && mkdir $family
      tar xzf expo-google-fonts-source-$family-0.4.1.tgz -C $family --strip-components 1
    done
    python3 scripts/pdf/cut_fonts.py .

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


# Headings are the service's own words.
OF_HEADINGS = [point for point in CHARACTERS if point < 0x180] + list(map(ord, "–—‘’“”…"))

# By name: the family and its package, the weight, the characters, and the SHA-256 of the original.
FACES = {
    "regular": ("Sans3", "sans-3", "400Regular", CHARACTERS, "393fb5b878ceed04aebc34b097e853ae5138c51d0c34b496ce8e2b47e0d0b94a"),
    "bold": ("Sans3", "sans-3", "700Bold", CHARACTERS, "7109021766e915ecd9721e28d11dfc732d57affda49e4ca15bb6d1529add7fdd"),
    "heading": ("Serif4", "serif-4", "500Medium", OF_HEADINGS, "7dba2003fd01cbbbb3e2cfa3f3d34e4a7893c0a4ed253bc9fca82e1aec5196e6"),
}


def cut(folder: pathlib.Path, name: str) -> dict[str, object]:
    family, package, weight, characters, sha256 = FACES[name]
    source = (folder / package / weight / f"Source{family}_{weight}.ttf").read_bytes()
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
    cutter.populate(unicodes=characters)
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
    kind = family.rstrip("34")
    (TARGET / f"countersign-{kind.lower()}-{name}.zlib").write_bytes(zlib.compress(file.getvalue(), 9))
    return {
        "name": f"Countersign{kind}-{name.capitalize()}",
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
        "copyright": "Copyright 2010-2020 Adobe (http://www.adobe.com/), with Reserved Font Name 'Source'. "
        "Copyright 2014 The Source Serif 4 Project Authors (https://github.com/adobe-fonts/source-serif).",
        "license": "SIL Open Font License 1.1, see OFL.txt. A modified version: cut to fewer glyphs, without hinting.",
        **{name: cut(folder, name) for name in FACES},
    }
    (TARGET / "faces.json").write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


main()
