// Eircode (Ireland): a routing key and four characters. T12 is Cork and also a vertebra, so the four are looked at closely.
import { LABEL_GAP } from '../context/labels.ts'
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { foldDigitLetters } from '../normalise/digit-letters.ts'

const ROUTING_KEYS = new Set(
  (
    'A41 A42 A45 A63 A67 A75 A81 A82 A83 A84 A85 A86 A91 A92 A94 A96 A98 C15 D01 D02 D03 D04 D05 D06 D6W D07 D08 D09 ' +
    'D10 D11 D12 D13 D14 D15 D16 D17 D18 D20 D22 D24 E21 E25 E32 E34 E41 E45 E53 E91 F12 F23 F26 F28 F31 F35 F42 F45 ' +
    'F52 F56 F91 F92 F93 F94 H12 H14 H16 H18 H23 H53 H54 H62 H65 H71 H91 K32 K34 K36 K45 K56 K67 K78 N37 N39 N41 N91 ' +
    'P12 P14 P17 P24 P25 P31 P32 P36 P43 P47 P51 P56 P61 P67 P72 P75 P81 P85 R14 R21 R32 R35 R42 R45 R51 R56 R93 R95 ' +
    'T12 T23 T34 T45 T56 V14 V15 V23 V31 V35 V42 V92 V93 V94 V95 W12 W23 W34 W91 X35 X42 X91 Y14 Y21 Y25 Y34 Y35'
  ).split(' '),
)
/** The fifteen letters of an Eircode and the digits; O, I, l, S, B and Z are not among them and can only mean digits. */
const CHARACTER = '[\\dACDEFHKNPRTVWXYOILSBZacdefhknprtvwxyoilsbz]'
const KEY = '[ACDEFHKNPRTVWXYacdefhknprtvwxy](?:[\\dOoIl][\\dOoIlSB]|6[Ww])'
const CANDIDATE = new RegExp(`(?<![A-Za-z0-9])(${KEY})([ .\\-_\\n]{0,3})(${CHARACTER}{4})(?![A-Za-z0-9])`, 'g')
/** With the word after it, a short one reads like a spaced Eircode: "postcode M1 1AE is". */
const UK_POSTCODE = '[a-z]{1,2}[\\do][\\da-z]?[ .\\-_\\n]{0,3}[\\do][a-z]{2}(?![a-z0-9])'
const LABELLED = new RegExp(
  `(?<![a-z0-9])(?:eircode|eir ?code|post ?code|postal code|zip(?: code)?)(?![a-z])${LABEL_GAP}(?!${UK_POSTCODE})` +
    `([a-z] ?[\\do] ?[\\dolw][ .\\-_\\n]{0,3}(?:[a-z\\d] ?){3}[a-z\\d])(?![a-z0-9])`,
  'gi',
)
/** Amounts and times that follow a vertebra or a diagnosis code: 24hr, 3day, 10yr, 5th, 2x. */
const AMOUNT = /^(?:x?\d{1,3}(?:[a-z]{1,3})|[a-z]?\d{1,2}[-+]?)$/i
const AMOUNT_WORD =
  /^x?\d{1,3}(?:hr?|hrs|yr?|yrs|day|d|dy|wk|per|fr|pt|pts|th|nd|rd|st|x|oz|cap|tab|yo|pc|ct|ft|dx|hx|rx|ed|ent)$/i
/** Stages, flu types, vertebrae and leads in four characters: T3N1, H1N1, C5C6, V1V2. */
const CLINICAL_FOUR = /^(?:T[0-4]N[0-3]|H\dN\d|([CTV])\d\1\d)$/i

export function findEircodes(text: string): Finding[] {
  const findings: Finding[] = []
  for (const match of text.matchAll(LABELLED)) {
    const value = match[1] ?? ''
    const end = match.index + match[0].length
    findings.push({ shape: 'eircode', start: end - value.length, end, certainty: CERTAINTY.labelled })
  }
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, key = '', gap = '', identifier = ''] = match
    const end = match.index + whole.length
    if (isEircode(key, gap, identifier) && !isFollowedByAmountUnit(text, end, identifier)) {
      findings.push({ shape: 'eircode', start: match.index, end, certainty: CERTAINTY.distinctive })
    }
  }
  return findings
}

/** At least one true digit and one letter in the four, which must not be an amount; an unknown key needs more. */
function isEircode(key: string, gap: string, identifier: string): boolean {
  if (!/\d/.test(key) || !/\d/.test(identifier) || !/[A-Za-z]/.test(foldDigitLetters(identifier))) return false
  if (gap.length > 1 && !/^ ?- ?$/.test(gap)) return false
  if (AMOUNT_WORD.test(identifier) || (gap !== '' && CLINICAL_FOUR.test(identifier))) return false
  // A lower-case amount after a code in capitals ("T12 10ed") is a remark; Eircodes keep one case.
  if (AMOUNT.test(identifier) && key !== key.toLowerCase() && identifier !== identifier.toUpperCase()) return false
  const isKnown = ROUTING_KEYS.has(key.charAt(0).toUpperCase() + foldKey(key.slice(1)))
  return isKnown || (/^[A-Z]\d\d$/.test(key) && /^[A-Z]\d[A-Z]\d$/.test(identifier))
}

/** O for 0 and the like after the key's letter; D6W keeps its last letter. */
function foldKey(rest: string): string {
  return /^6w$/i.test(rest) ? rest.toUpperCase() : foldDigitLetters(rest)
}

/** "D10 x250 ml": a volume of a drug, not an address. */
function isFollowedByAmountUnit(text: string, end: number, identifier: string): boolean {
  return /^x\d+$/i.test(identifier) && isFollowedByUnit(text, end)
}
