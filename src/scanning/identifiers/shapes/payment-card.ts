// Finds payment card numbers (ISO/IEC 7812), by the issuing network's range, its lengths and the check digit.
import { APART, BREAK, CERTAINTY, DIGITS, LABEL_GAP, defineShape, scan, type Finding } from '../finding.ts'

/** The lowest and highest first digits, and the lengths of the numbers that begin with them. */
type Range = readonly [from: number, to: number, lengths: readonly number[]]

const DIGITS_LEAST = 13
const DIGITS_MOST = 19
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

/** Unbroken, in fours, or as American Express (4-6-5) and Diners Club (4-6-4) print theirs. All separators are the same. */
const SEPARATOR = '[ .\\-\\n,/_:;|]'
const CANDIDATE = new RegExp(
  `(?<![A-Za-z0-9])(?:(?<!\\d[./-])\\d{13,19}(?![./]\\d)|(?<!\\d[.,/-])(?:\\d{4}(${SEPARATOR})\\d{4}\\1\\d{4}\\1\\d{1,4}(?:\\1\\d{1,3})?|\\d{4}(${SEPARATOR})\\d{6}\\2\\d{4,5})(?![.,/]\\d))(?![A-Za-z0-9]|-\\d{4})`,
  'g',
)
/** Matches "4 1 1 1 …": the same mark between all digits. Only a security code may follow the number. */
const ALL_APART = new RegExp(
  `(?<![A-Za-z0-9])(?<!\\d[ .,/:;|\\n_-])\\d(${APART})(?:\\d\\1){11,20}\\d(?!\\d|\\1\\d|[A-Za-z])`,
  'g',
)
/** Matches groups of five and more, of which the last may be shorter. More groups of that length are a row of a table. */
const LONG_GROUPS = new RegExp(
  `(?<![A-Za-z0-9])(?<!\\d[.,/-]|\\d{5}${SEPARATOR})\\d{4,15}(${SEPARATOR})(?:\\d{5,12}\\1){0,2}\\d{1,12}(?![A-Za-z0-9]|[.,/]\\d|-\\d{4}|\\1\\d{5})`,
  'g',
)
/** After a label a number may be broken in any way. */
const LABELLED = new RegExp(
  `(?<![a-z])(?:(?:credit|debit|bank|payment|visa|master) ?cards?|visa|mastercard|amex|american express|maestro|card|pan)(?![a-z])${LABEL_GAP}(\\d(?:${BREAK}\\d|,\\d){12,18})(?![A-Za-z0-9])`,
  'gi',
)
export const paymentCard = defineShape(
  { id: 'payment_card', group: 'money', name: 'payment card' },
  { find: findPaymentCards, letters: 0, ...DIGITS },
)

function findPaymentCards(text: string): Finding<'payment_card'>[] {
  const findings: Finding<'payment_card'>[] = []
  const find = (pattern: RegExp, securityCodeDigits: readonly number[]): void => {
    scan(pattern, text, ({ 0: written, 1: mark = '', index: start }) => {
      if (written.length < DIGITS_LEAST) return undefined
      const card = [written, ...securityCodeDigits.map((digits) => withoutLast(written, mark, digits))].find((one) =>
        isCardNumber(one.replaceAll(/\D/g, '')),
      )
      if (card === undefined) return undefined
      findings.push({ shape: 'payment_card', start, end: start + card.length, certainty: CERTAINTY.labelled })
      return start + card.length
    })
  }
  find(CANDIDATE, [0])
  find(ALL_APART, [3, 4])
  find(LONG_GROUPS, [])
  for (const { 0: whole, 1: written = '', index } of text.matchAll(LABELLED)) {
    const end = index + whole.length
    if (!isCardNumber(written.replaceAll(/\D/g, ''))) continue
    findings.push({ shape: 'payment_card', start: end - written.length, end, certainty: CERTAINTY.labelled })
  }
  return findings
}

/** Returns the number without its security code: without its last `digits` digits, or its last group if `digits` is 0. */
const withoutLast = (written: string, mark: string, digits: number): string =>
  digits === 0 ? written.replace(/[^\d]\d{1,4}$/, '') : written.slice(0, -digits * (1 + mark.length))

export function isCardNumber(digits: string): boolean {
  if (digits.length < DIGITS_LEAST || digits.length > DIGITS_MOST || !hasLuhnDigit(digits)) return false
  return RANGES.some(([from, to, lengths]) => {
    const first = Number(digits.slice(0, String(from).length))
    return first >= from && first <= to && lengths.includes(digits.length)
  })
}

/**
 * Returns true if the Luhn sum is right: from the right, every second digit counts double.
 * @see https://www.iso.org/standard/70484.html
 */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place))
    const counted = place % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
