// Finds UK postcodes: one of the 124 areas, a district, a sector digit, two letters. L5, S1, B12 and T2 N1 are clinical too.
import { CERTAINTY, LABEL_GAP, POSTCODES, defineShape, type Finding } from '../finding.ts'
import { foldDigitLetters } from '../normalise/digit-letters.ts'

const AREAS = new Set(
  (
    'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY ' +
    'G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR ' +
    'NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA ' +
    'WC WD WF WN WR WS WV YO ZE'
  ).split(' '),
)
/** The only districts that end in a letter: central London and a few of its neighbours. */
const LETTERED_DISTRICT = /^(?:E1W|EC[1-4][AMNPRVY]|N1[CP]|NW1W|SE1P|SW1[AEHPVWXY]|W1[A-HJKSTUW]|WC[12][ABEHNRVX])$/
/** Areas of two letters that have a district 0. */
const HAS_DISTRICT_ZERO = new Set('BL BS CM CR FY HA PR SL SS'.split(' '))

const CANDIDATE =
  /(?<![A-Za-z0-9])([A-Za-z]{1,2})([\dOIl][\dA-Za-z]?)([ .\-_\n]{0,3})([\dOIl])([ABD-HJLNP-UW-Zabd-hjlnp-uw-z]{2})(?![A-Za-z0-9])/g
/** Matches "BT 7 1NN" and "BT7 1 NN": two letters of an area, in capitals, and one blank more. */
const MISPLACED = /(?<![A-Za-z0-9])([A-Z]{2})( ?)(\d[\dA-Z]?) (\d)( ?)([ABD-HJLNP-UW-Z]{2})(?![A-Za-z0-9]|[ =:]?\d)/g
/** Results with a number in their name: "CA19 9 NL", "CO2 4 LL". */
const NUMBERED_RESULT = /^(?:CA1[59]|CO2)$/
const GIROBANK = /(?<![A-Za-z0-9])GIR ?0AA(?![A-Za-z0-9])/gi
const LABELLED = new RegExp(
  `(?<![a-z0-9])(?:post ?code|p\\/code|pcode|postal code|zip(?: code)?)(?![a-z])${LABEL_GAP}` +
    '([a-z]{1,2}[\\do][\\da-z]?[ .\\-_\\n]{0,3}[\\do][a-z]{2})(?![a-z0-9])',
  'gi',
)
/** Units after a count that look like a postcode's last two letters: 5ug, 3hr, 1yr, 6pt, 2bd. */
const COUNTED = new Set('yr hr ug ng wt ft lb pt fr hz db dl ds bd td qd sd yo dy ea pa pd ph pp pr dp ab'.split(' '))
/** The units that count after any letters. An address can end in PT, but hardly follows "pe2". */
const SURELY_COUNTED = new Set('yr hr ug ng'.split(' '))
/** Vertebrae, vitamins, stages and leads that look like the first half of a postcode. */
const CLINICAL_OUTWARD = /^(?:L[1-6]|S[1-5]|[CT][1-9]|T1[0-2]|M[01]|B[1-9]|B1[0-2]|W\d|E1\d|G\d)$/i
/** Before "b12pg" it makes that a vitamin and its unit. */
const VITAMIN_BEFORE = /(?<![a-z])vit(?:amin|\.)? $/i
/** Intraocular lenses (SN60WF, SA60AT, MA30BA). No such districts exist. */
const LENS = /^(?:S[AN]|M[ANX])[36]0[A-Z]{2}$/i
const STAGE_BEFORE = /(?:T(?:[0-4][a-d]?|is|x) ?,?|stage|staged|node|nodes|[cpy]) ?$/i

export const ukPostcode = defineShape(
  { id: 'uk_postcode', group: 'contact', name: 'UK postcode', rank: 5 },
  { find: findUkPostcodes, letters: 1, ...POSTCODES },
)

function findUkPostcodes(text: string): Finding<'uk_postcode'>[] {
  const findings: Finding<'uk_postcode'>[] = []
  for (const match of text.matchAll(LABELLED)) {
    const value = match[1] ?? ''
    const end = match.index + match[0].length
    findings.push({ shape: 'uk_postcode', start: end - value.length, end, certainty: CERTAINTY.labelled })
  }
  for (const match of text.matchAll(GIROBANK)) {
    const end = match.index + match[0].length
    findings.push({ shape: 'uk_postcode', start: match.index, end, certainty: CERTAINTY.distinctive })
  }
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, area = '', district = '', gap = '', sector = '', unit = ''] = match
    const end = match.index + whole.length
    if (!isOutward(area, district) || !isInward(area, district, sector, unit)) continue
    if (/^[be]\d{3}[a-f]{2}$/.test(whole) && text.charAt(match.index - 1) === '#') continue
    if (!isWrittenAsPostcode(area + district, gap, foldDigitLetters(sector) + unit)) continue
    if (/^b12[a-z]{2}$/i.test(whole) && VITAMIN_BEFORE.test(text.slice(Math.max(0, match.index - 9), match.index)))
      continue
    if (isClinical(area + district, foldDigitLetters(sector) + unit, nearby(text, match.index, end))) continue
    findings.push({ shape: 'uk_postcode', start: match.index, end, certainty: CERTAINTY.distinctive })
  }
  for (const match of text.matchAll(MISPLACED)) {
    const [whole, area = '', first = '', district = '', sector = '', second = '', unit = ''] = match
    if ((first === '') === (second === '') || !isOutward(area, district)) continue
    if (NUMBERED_RESULT.test(area + district) || isOrdinal(sector + unit) || COUNTED.has(unit.toLowerCase())) continue
    const end = match.index + whole.length
    findings.push({ shape: 'uk_postcode', start: match.index, end, certainty: CERTAINTY.distinctive })
  }
  return findings
}

function isOutward(area: string, district: string): boolean {
  const upper = area.toUpperCase()
  if (!AREAS.has(upper)) return false
  if (LETTERED_DISTRICT.test(upper + district.toUpperCase())) return true
  // A letter is read as a digit only after an area of two letters, where only a digit is possible.
  const number = upper.length === 2 ? foldDigitLetters(district) : district
  if (!/^\d{1,2}$/.test(number)) return false
  return number.startsWith('0') ? number === '0' && HAS_DISTRICT_ZERO.has(upper) : true
}

function isInward(area: string, district: string, sector: string, unit: string): boolean {
  if (/\d/.test(sector)) return true
  if (!/\d/.test(district)) return false
  // "SW1A OAA" is read as "SW1A 0AA", but "CT1 OLD" and "PE2 INR" are words.
  return area.length === 2 && area === area.toUpperCase() && !/^(?:LD|UT|UR|NE|LL|NR|TS|WN|FF)$/i.test(unit)
}

/** Requires one case throughout. Without a blank it must be in capitals, or beyond doubt. */
function isWrittenAsPostcode(outward: string, gap: string, inward: string): boolean {
  const whole = outward + inward
  const isUpper = whole === whole.toUpperCase()
  const isLower = whole === whole.toLowerCase()
  const isTitled = /^[A-Z][a-z]\d/.test(outward) && /^\d[a-z]{2}$/.test(inward)
  // A frameshift in a gene (g128fs) and a colour (#e123ab) look like one of five or six small letters and digits.
  if (gap === '') return !LENS.test(whole) && (isUpper || (isLower && !/^[a-z]\d{2,3}fs$/.test(whole)))
  return isUpper || isLower || isTitled
}

/** Returns true for a vertebra, a vitamin or a stage and what follows it: "L5 1st", "B12 5ug", "T2 N1 2LN". */
function isClinical(outward: string, inward: string, around: { before: string; all: string }): boolean {
  if (/^N\d$/i.test(outward) && STAGE_BEFORE.test(around.before)) return true
  const unit = inward.slice(1).toLowerCase()
  const isCapital = inward === inward.toUpperCase()
  if (isOrdinal(inward)) {
    // Nobody writes "L5 1ST" in a letter that is not all in capitals, except in an address.
    return isCapital ? CLINICAL_OUTWARD.test(outward) && !/[a-z]/.test(around.all) : true
  }
  const isAfterOneLetter = /^[a-z]\d/i.test(outward)
  if (isCapital) return CLINICAL_OUTWARD.test(outward) && SURELY_COUNTED.has(unit)
  return (isAfterOneLetter ? COUNTED : SURELY_COUNTED).has(unit)
}

/** Accepts 1st, 2nd, 3rd, 4th, but not 1th. A weight in stones looks alike: 9st. */
const isOrdinal = (inward: string): boolean => /^(?:1st|2nd|3rd|[04-9]th|\dst)$/i.test(inward)

function nearby(text: string, start: number, end: number): { before: string; all: string } {
  const before = text.slice(Math.max(0, start - 30), start)
  return { before, all: before + text.slice(end, end + 30) }
}
