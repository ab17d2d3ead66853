// Finds international bank account numbers (ISO 13616), by their country's length and by the remainder modulo 97.
import { APART, CERTAINTY, DIGITS, defineShape, type Finding } from '../finding.ts'
import { foldDigitLetters } from '../normalise/digit-letters.ts'

/** Lengths by country, from SWIFT's register, and of countries that use the format without being registered there. */
const LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 ' +
    'SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 DZ26 AO25 BJ28 BF28 CM27 CV25 CF27 ' +
    'TD27 KM27 CG27 CI28 GA27 GQ27 GW25 IR26 MG27 ML28 MA28 MZ25 NE28 SN28 TG28'
  )
    .split(' ')
    .map((country) => [country.slice(0, 2), Number(country.slice(2))]),
)

const BEGINNING = new RegExp(`(?<![A-Za-z0-9])[A-Za-z](${APART}|)[A-Za-z]\\1\\d\\1\\d(?=${APART}?[A-Za-z0-9])`, 'g')
/** A number in groups of two or three, which split the first four characters. */
const GROUPED = new RegExp(`(?<![A-Za-z0-9])([A-Za-z]{2}\\d?)(${APART})\\d(?=[A-Za-z0-9])`, 'g')
const PART = /[A-Za-z0-9]/
const GAP = new RegExp(`${APART}?`, 'y')
/** With fewer digits it is words of a sentence that begin like a number: "at20 weeks". */
const LEAST_DIGITS = 8

export const iban = defineShape(
  { id: 'iban', group: 'money', name: 'IBAN' },
  { find: findIbans, letters: 1, ...DIGITS },
)

/** @see https://www.iso.org/standard/81090.html */
function findIbans(text: string): Finding<'iban'>[] {
  const findings: Finding<'iban'>[] = []
  const add = (start: number, country: string, size: number, mark: string): void => {
    const length = LENGTHS[country.toUpperCase()]
    const end = length === undefined ? -1 : endAfter(text, start, length, { size, mark })
    if (end !== -1 && isIban(text.slice(start, end)))
      findings.push({ shape: 'iban', start, end, certainty: CERTAINTY.labelled })
  }
  for (const { 0: beginning, 1: mark = '', index } of text.matchAll(BEGINNING)) {
    add(index, beginning.charAt(0) + beginning.charAt(1 + mark.length), 1, mark)
  }
  for (const { 1: group = '', 2: mark = '', index } of text.matchAll(GROUPED)) {
    add(index, group.slice(0, 2), group.length, mark)
  }
  return findings
}

/**
 * Returns where `length` letters and digits end, or -1 if there are fewer or more. Groups of `size`
 * characters must have `mark` between them. If `mark` is empty, any one mark may be between two characters.
 */
function endAfter(text: string, start: number, length: number, { size, mark }: { size: number; mark: string }): number {
  let at = start
  for (let count = 0; count < length; count += 1) {
    if (count > 0 && mark === '') {
      GAP.lastIndex = at
      if (GAP.test(text)) at = GAP.lastIndex
    } else if (count > 0 && count % size === 0) {
      if (!text.startsWith(mark, at)) return -1
      at += mark.length
    }
    if (!PART.test(text.charAt(at))) return -1
    at += 1
  }
  return PART.test(text.charAt(at)) ? -1 : at
}

/** Also accepts letters typed for digits: everywhere, or everywhere except in the bank's code, which has letters. */
function isIban(written: string): boolean {
  const joined = written.replaceAll(/[^A-Za-z0-9]/g, '')
  if (isValid(joined)) return true
  const folded = joined.slice(0, 2) + foldDigitLetters(joined.slice(2))
  return folded !== joined && (isValid(folded) || isValid(folded.slice(0, 4) + joined.slice(4, 8) + folded.slice(8)))
}

/** Requires one case throughout. Requires the remainder 1, with the first four characters put last and letters read as 10 to 35. */
function isValid(joined: string): boolean {
  if (joined !== joined.toUpperCase() && joined !== joined.toLowerCase()) return false
  let remainder = 0
  let digits = 0
  for (let place = 0; place < joined.length; place += 1) {
    const code = joined.charCodeAt((place + 4) % joined.length)
    const isDigit = code < 0x3a
    if (isDigit) digits += 1
    remainder = isDigit ? (remainder * 10 + code - 0x30) % 97 : (remainder * 100 + (code | 0x20) - 0x57) % 97
  }
  return remainder === 1 && digits >= LEAST_DIGITS
}
