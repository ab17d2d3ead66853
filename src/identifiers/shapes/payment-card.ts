// Payment card numbers (ISO/IEC 7812): the range that an issuer's network has, the length that goes with it, and the check digit.
import { CERTAINTY } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { scan } from '../scan.ts'

/** First digits from and to, and the lengths of the numbers that begin so. */
type Range = readonly [from: number, to: number, lengths: readonly number[]]

const LONGER = [16, 17, 18, 19]
const RANGES: readonly Range[] = [
  // Visa
  [4, 4, [13, 16, 19]],
  // Mastercard
  [51, 55, [16]],
  [2221, 2720, [16]],
  // American Express
  [34, 34, [15]],
  [37, 37, [15]],
  // Discover
  [6011, 6011, LONGER],
  [644, 649, LONGER],
  [65, 65, LONGER],
  // Diners Club
  [300, 305, [14, ...LONGER]],
  [3095, 3095, [14, ...LONGER]],
  [36, 36, [14, 15, ...LONGER]],
  [38, 39, [14, ...LONGER]],
  // JCB
  [3528, 3589, LONGER],
  // UnionPay
  [62, 62, LONGER],
  [81, 81, LONGER],
  // Maestro
  [5018, 5018, [13, 14, 15, ...LONGER]],
  [5020, 5020, [13, 14, 15, ...LONGER]],
  [5038, 5038, [13, 14, 15, ...LONGER]],
  [5893, 5893, [13, 14, 15, ...LONGER]],
  [6304, 6304, [13, 14, 15, ...LONGER]],
  [6759, 6763, [13, 14, 15, ...LONGER]],
  // Mir
  [2200, 2204, LONGER],
]

/** Unbroken, in fours, or as American Express (4-6-5) and Diners Club (4-6-4) print theirs; one kind of mark throughout. */
const CANDIDATE =
  /(?<![A-Za-z0-9_])(?<!\d[.,/-])(?:\d{13,19}|\d{4}([ .\-\n])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ .\-\n])\d{6}\2\d{4,5})(?![A-Za-z0-9_])(?![.,]\d|-\d{4})/g

export function findPaymentCards(text: string): Finding<'payment_card'>[] {
  const findings: Finding<'payment_card'>[] = []
  scan(CANDIDATE, text, ({ 0: written, index: start }) => {
    const card = [written, withoutLastGroup(written)].find((one) => isCardNumber(one.replaceAll(/\D/g, '')))
    if (card === undefined) return undefined
    const end = start + card.length
    findings.push({ shape: 'payment_card', start, end, certainty: CERTAINTY.labelled })
    return end
  })
  return findings
}

/** What stands behind a number may be its security code. */
const withoutLastGroup = (written: string): string => written.replace(/[ .\-\n]\d{1,4}$/, '')

export function isCardNumber(digits: string): boolean {
  const isIssued = RANGES.some(([from, to, lengths]) => {
    const first = Number(digits.slice(0, String(from).length))
    return first >= from && first <= to && lengths.includes(digits.length)
  })
  return isIssued && hasLuhnDigit(digits)
}

/** The Luhn sum: from the right, every second digit counts double. */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place))
    const counted = place % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
