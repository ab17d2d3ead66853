// Finds Eircodes (Ireland): a routing key and an identifier of four characters. T12 is Cork and also a vertebra, so the identifier
// must fit too.
import { APART, CERTAINTY, LABEL_GAP, POSTCODES, defineShape, type Finding } from '../finding.ts'
import { isFollowedByUnit } from '../context/units.ts'
import { foldDigitLetters } from '../normalise/digit-letters.ts'

export const ROUTING_KEYS: ReadonlySet<string> = new Set(
  (
    'A41 A42 A45 A63 A67 A75 A81 A82 A83 A84 A85 A86 A91 A92 A94 A96 A98 C15 D01 D02 D03 D04 D05 D06 D6W D07 D08 D09 ' +
    'D10 D11 D12 D13 D14 D15 D16 D17 D18 D20 D22 D24 E21 E25 E32 E34 E41 E45 E53 E91 F12 F23 F26 F28 F31 F35 F42 F45 ' +
    'F52 F56 F91 F92 F93 F94 H12 H14 H16 H18 H23 H53 H54 H62 H65 H71 H91 K32 K34 K36 K45 K56 K67 K78 N37 N39 N41 N91 ' +
    'P12 P14 P17 P24 P25 P31 P32 P36 P43 P47 P51 P56 P61 P67 P72 P75 P81 P85 R14 R21 R32 R35 R42 R45 R51 R56 R93 R95 ' +
    'T12 T23 T34 T45 T56 V14 V15 V23 V31 V35 V42 V92 V93 V94 V95 W12 W23 W34 W91 X35 X42 X91 Y14 Y21 Y25 Y34 Y35'
  ).split(' '),
)
/** The fifteen letters of an Eircode, digits, and letters typed for digits: O, I, l, S, B and Z are in no Eircode. */
const CHARACTER = '[\\dACDEFHKNPRTVWXYOILSBZacdefhknprtvwxyoilsbz]'
const KEY = '[ACDEFHKNPRTVWXYacdefhknprtvwxy](?:[\\dOoIl][\\dOoIlSB]|6[Ww])'
const CANDIDATE = new RegExp(`(?<![A-Za-z0-9])(${KEY})([ .\\-_\\n,/]{0,3})(${CHARACTER}{4})(?![A-Za-z0-9])`, 'g')
const GAP = /^(?:[ .\-_\n,/]?| ?[-_/] ?|[-_/]{2}|[-/]\n|\n[-/])$/
const FOUR_APART = `(${CHARACTER})\\2(${CHARACTER})\\2(${CHARACTER})\\2(${CHARACTER})(?![A-Za-z0-9])`
/** Matches "D 0 2 X 2 8 5": the same mark between all seven. */
const ALL_APART = new RegExp(`(?<![A-Za-z0-9])([A-Za-z])(${APART})([\\dOoIl])\\2([\\dOoIlSBWw])\\2${FOUR_APART}`, 'g')
/** Matches "D02 X 2 8 5". */
const END_APART = new RegExp(`(?<![A-Za-z0-9])(${KEY})(${APART})${FOUR_APART}`, 'g')
/** Letters of an Eircode. In one with its blanks in other places, no letter stands for a digit. */
const LETTER = '[ACDEFHKNPRTVWXY]'
const MARK = '[ ._/-]?'
const ONE = '[\\dACDEFHKNPRTVWXY]'
/** Matches "D02X 285", "D0 2X285", "A96 R8 C4", "H 91 E2K3": capitals, and at most two marks. */
const MISPLACED = new RegExp(`(?<![A-Za-z0-9])${LETTER}${MARK}\\d${MARK}[\\dW](?:${MARK}${ONE}){4}(?![A-Za-z0-9])`, 'g')
/** How many characters each group has. 3,1,3 and the like are drugs and pulses: "D10 X 250", "P85 R 120". */
const MISPLACED_GROUPS = new Set('1,6 2,5 4,3 5,2 6,1 3,2,2 1,2,4 2,1,4'.split(' '))
/** Vertebrae, leads and stages in pairs: "T12 C5 C6", "C15 T3 N1". */
const CLINICAL_PAIRS = /^(?:[CTVDAN]\d){2}$/
/** A short UK postcode with the word after it looks like a spaced Eircode: "postcode M1 1AE is". */
const UK_POSTCODE = '[a-z]{1,2}[\\do][\\da-z]?[ .\\-_\\n]{0,3}[\\do][a-z]{2}(?![a-z0-9])'
const LABELLED = new RegExp(
  `(?<![a-z0-9])(?:eircode|eir ?code|eirchod|post ?code|postal code|zip(?: code)?)(?![a-z])${LABEL_GAP}(?!${UK_POSTCODE})` +
    `([a-z]${APART}?[\\do]${APART}?[\\dolw][ .\\-_\\n,/:;|]{0,3}(?:[a-z\\d]${APART}?){3}[a-z\\d])(?![a-z0-9])`,
  'gi',
)
/** Amounts and times that follow a vertebra or a diagnosis code: 24hr, 3day, 10yr, 5th, 2x. */
const AMOUNT = /^(?:x?\d{1,3}(?:[a-z]{1,3})|[a-z]?\d{1,2}[-+]?)$/i
const AMOUNT_WORD =
  /^x?\d{1,3}(?:hr?|hrs|yr?|yrs|day|d|dy|wk|per|fr|pt|pts|th|nd|rd|st|x|oz|cap|tab|yo|pc|ct|ft|dx|hx|rx|ed|ent)$/i
/** Flu types, leads and vertebrae in four characters, and the nearby words that confirm them. */
const CLINICAL_FOURS: readonly (readonly [identifier: RegExp, word: RegExp])[] = [
  [/^H\dN\d$/i, /flu|swab|pcr|vaccin|strain|positive|antigen|viral|virus/i],
  [
    /^V\dV\d$/i,
    /ecg|ekg|lead|(?<![a-z])[stqr][- ](?:wave|dep|elev|inv|seg)|ischaem|infarct|elevation|depression|inversion/i,
  ],
  [
    /^([CT])\d\1\d$/i,
    /vertebra|level|disc|fus(?:ed|ion)|fract|root|spin[ea]|cord|(?<![a-z])(?:mri|ct|x-?ray|mets?)(?![a-z])|ribs?(?![a-z])|facet|prolapse|stenos|decompress|laminect|lesion/i,
  ],
]
const ADDRESS_BEFORE =
  /(?<![a-z])(?:address|co|county|dublin(?: \d+w?)?|cork|galway|limerick|navan|meath|road|rd|street|st|avenue|ave|park|drive|lane|terrace|estate|court|lives(?: at| in)?|living(?: at| in)?|home)[ \n,.:]*$/i
/** Matches a neighbouring code of a list: "R51,K590,N390". */
const CODE = '[A-Z]\\d\\d[\\dX]?'
const CODE_BEFORE = new RegExp(`(?<![A-Za-z0-9])${CODE}[,/] ?$`, 'i')
const CODE_AFTER = new RegExp(`^[,/] ?${CODE}(?![A-Za-z0-9])`, 'i')

export const eircode = defineShape(
  { id: 'eircode', group: 'contact', name: 'Eircode', rank: 4 },
  { find: findEircodes, letters: 1, ...POSTCODES },
)

function findEircodes(text: string): Finding<'eircode'>[] {
  const findings: Finding<'eircode'>[] = []
  for (const match of text.matchAll(LABELLED)) {
    const value = match[1] ?? ''
    const end = match.index + match[0].length
    findings.push({ shape: 'eircode', start: end - value.length, end, certainty: CERTAINTY.labelled })
  }
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, key = '', gap = '', identifier = ''] = match
    const end = match.index + whole.length
    if (!isEircode(key, gap, identifier) || isFollowedByAmountUnit(text, end, identifier)) continue
    const around = {
      before: text.slice(Math.max(0, match.index - NEARBY), match.index),
      after: text.slice(end, end + NEARBY),
    }
    if (gap !== '' && isClinical(key, identifier, around)) continue
    if (/[,/]/.test(gap) && isCodeOfList(identifier, around)) continue
    findings.push({ shape: 'eircode', start: match.index, end, certainty: CERTAINTY.distinctive })
  }
  for (const { 0: whole, 1: letter = '', 3: ten = '', 4: one = '', 5: a, 6: b, 7: c, 8: d, index } of text.matchAll(
    ALL_APART,
  )) {
    if (!isEircode(letter + ten + one, '', `${a}${b}${c}${d}`)) continue
    findings.push({ shape: 'eircode', start: index, end: index + whole.length, certainty: CERTAINTY.distinctive })
  }
  for (const { 0: whole, 1: key = '', 2: mark, 3: a, 4: b, 5: c, 6: d, index } of text.matchAll(END_APART)) {
    const identifier = `${a}${b}${c}${d}`
    // "T12 R 2 L 2", "D10 x 2 5 d": after a blank they are pulses and amounts.
    if (mark === ' ' && /[a-zL]/.test(identifier)) continue
    if (!isEircode(key, '', identifier)) continue
    findings.push({ shape: 'eircode', start: index, end: index + whole.length, certainty: CERTAINTY.distinctive })
  }
  for (const { 0: whole, index } of text.matchAll(MISPLACED)) {
    const end = index + whole.length
    const groups = whole.split(/[^A-Z\d]/)
    if (!MISPLACED_GROUPS.has(groups.map(({ length }) => length).join(','))) continue
    const characters = groups.join('')
    const [key, identifier] = [characters.slice(0, 3), characters.slice(3)]
    if (!ROUTING_KEYS.has(key) || !isEircode(key, '', identifier) || CLINICAL_PAIRS.test(identifier)) continue
    if (!AMOUNT_WORD.test(identifier) && !isFollowedByUnit(text, end))
      findings.push({ shape: 'eircode', start: index, end, certainty: CERTAINTY.distinctive })
  }
  return findings
}

/** Requires a digit and a letter in the identifier, which must not be an amount. An unknown key is accepted only as in A12 B3C4. */
function isEircode(key: string, gap: string, identifier: string): boolean {
  if (!/\d/.test(key) || !/\d/.test(identifier) || !/[A-Za-z]/.test(foldDigitLetters(identifier))) return false
  if (!GAP.test(gap)) return false
  // A lower-case amount after a code in capitals ("T12 10ed") is a remark; Eircodes keep one case.
  if (AMOUNT.test(identifier) && key !== key.toLowerCase() && identifier !== identifier.toUpperCase()) return false
  const isKnown = ROUTING_KEYS.has(key.charAt(0).toUpperCase() + foldKey(key.slice(1)))
  return isKnown || (/^[A-Z]\d\d$/.test(key) && /^[A-Z]\d[A-Z]\d$/.test(identifier))
}

/** Matches three pairs of capitals, which a line that is all in capitals has. */
const CAPITALS = /(?:[A-Z]{2}[^A-Z]{0,12}){2}[A-Z]{2}/
/** How many characters on each side show what a text is about. */
const NEARBY = 32

type Around = { readonly before: string; readonly after: string }

/** Returns true for a clinical code and its amount, stage or leads: "R51 24hr", "C15 T3N1", "T12 V4V5 T wave". */
function isClinical(key: string, identifier: string, { before, after }: Around): boolean {
  const all = `${before}|${after}`
  if (AMOUNT_WORD.test(identifier)) {
    // In capitals it is an amount only among other capitals.
    const isCapital = identifier === identifier.toUpperCase()
    const line = `${before.slice(before.lastIndexOf('\n') + 1)}${after.split('\n', 1)[0]}`
    return !isCapital || (!/[a-z]/.test(line) && CAPITALS.test(line) && !ADDRESS_BEFORE.test(before))
  }
  if (/^T[0-4]N[0-3]$/i.test(identifier)) return /^C15$/i.test(key) && !ADDRESS_BEFORE.test(before)
  return CLINICAL_FOURS.some(([four, word]) => four.test(identifier) && word.test(all))
}

function isCodeOfList(identifier: string, { before, after }: Around): boolean {
  return /^[A-Z]\d{3}$/i.test(identifier) && (CODE_BEFORE.test(before) || CODE_AFTER.test(after))
}

/** Reads letters after the key's first letter as digits (O as 0). D6W keeps its last letter. */
const foldKey = (rest: string): string => (/^6w$/i.test(rest) ? rest.toUpperCase() : foldDigitLetters(rest))

/** Returns true for the volume of a drug: "D10 x250 ml". */
const isFollowedByAmountUnit = (text: string, end: number, identifier: string): boolean =>
  /^x\d+$/i.test(identifier) && isFollowedByUnit(text, end)
