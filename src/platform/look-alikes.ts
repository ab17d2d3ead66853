// Characters that look like an ASCII letter, digit or mark and that NFKC leaves alone.

/** Each entry is one character followed by what it is taken for. */
function readPairs(pairs: string): Map<string, string> {
  return new Map(
    pairs.split(' ').map((pair) => {
      const [character = '', ...reading] = pair
      return [character, reading.join('')]
    }),
  )
}

const LETTERS = readPairs(
  // Cyrillic
  'АA ВB ЕE ЅS ІI ЇI ЈJ КK МM НH ОO РP СC ТT ' +
    'УY ХX ҮY ԀD ԚQ ԜW ҒF ӀI ҺH ᏙV ѴV Ьb ' +
    'аa вb еe ѕs іi їi јj кk мm нh оo рp сc тt ' +
    'уy хx үy ԁd ԛq ԝw һh ӏl ѵv ոn սu օo զq ' +
    // Greek
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ' +
    'ϹC ϲc αa εe ιi κk μu νv οo ρp τt υu χx ϳj ' +
    // Latin letters without a decomposition
    'ıi łl ŁL øo ØO đd ĐD ħh ĦH ɑa ɡg ɩi ǀl ɴn ' +
    'ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ᴏo ᴘp ' +
    'ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ꓐB ꓑP ꓓD ꓔT ꓮA ꓰE',
)

const DIGITS = readPairs('З3 з3 Ӡ3 ᴣ3 Ʒ3 б6 Ƽ5 Ȣ8 Ч4 ч4 〇0')

const MARKS = readPairs(
  '−- ˗- ⁃- ➖- ー- ─- ━- ⸺- ⁄/ ∕/ ⧸/ ╱/ ⟋/ ÷/ ·. •. ‧. ∙. ⋅. ・. 。. ｡. ․. ●. ۔. ⸱. ' +
    "‚, ،, 、, ∶: ː: ꞉: ׃: ⁚: ’' ‘' ‛' ′' ʹ' ʼ' “\" ”\" „\" ″\" ∣| │| ┃| ❘| ×x ✕x ➕+ №No £$ €$ ¢$ ¥$",
)

/** Digits that Unicode counts as numbers but not as decimal digits: first code point, its value, how many follow. */
const NUMBER_RUNS: readonly (readonly [first: number, value: number, count: number])[] = [
  [0x2776, 1, 9], // negative circled
  [0x2780, 1, 9], // circled, sans-serif
  [0x278a, 1, 9], // negative circled, sans-serif
  [0x24f5, 1, 9], // double circled
  [0x24ff, 0, 1], // negative circled zero
  [0x1f10b, 0, 1], // circled zero, sans-serif
  [0x1f10c, 0, 1], // negative circled zero, sans-serif
  [0x1369, 1, 9], // Ethiopic
]

/** The ASCII that `character` is taken for, or undefined. */
export function lookAlike(character: string): string | undefined {
  const single = LETTERS.get(character) ?? DIGITS.get(character) ?? MARKS.get(character)
  if (single !== undefined) return single
  const codePoint = character.codePointAt(0) ?? 0
  for (const [first, value, count] of NUMBER_RUNS) {
    if (codePoint >= first && codePoint < first + count) return String(value + codePoint - first)
  }
  return undefined
}
