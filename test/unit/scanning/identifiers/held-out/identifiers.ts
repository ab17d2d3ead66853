// Identifiers of every shape as they are typed in haste: spaced out, broken by a line end, labelled in one of many ways.
import fc from 'fast-check'
import type { IdentifierShape } from '../../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { hasPpsCheckLetter } from '../../../../../src/scanning/identifiers/shapes/pps-number.ts'
import { digits, integer, oneOf, padded, text } from './parts.ts'

const MONTHS = oneOf('Jan Feb Mar Apr June July Aug Sept Oct Nov Dec January February March April September December')
const DAY = fc.oneof(integer(1, 28), padded(1, 28))
const MONTH = fc.oneof(integer(1, 12), padded(1, 12))
const SHORT_YEAR = fc.oneof(padded(0, 29), integer(30, 99))
const YEAR = integer(1921, 2029)

/** `mark` between all three parts. */
const threeParts = (mark: string, year: fc.Arbitrary<string | number>): fc.Arbitrary<string> =>
  text(DAY, mark, MONTH, mark, year)

const DATE = fc.oneof(
  threeParts('/', SHORT_YEAR),
  threeParts('.', SHORT_YEAR),
  threeParts('-', SHORT_YEAR),
  threeParts('/', YEAR),
  threeParts('.', YEAR),
  text(YEAR, '-', padded(1, 12), '-', padded(1, 28)),
  text(MONTHS, ' ', YEAR),
  text(integer(4, 20), oneOf('_ th_ th_of_ - .'), MONTHS, ' ', YEAR),
  text(MONTHS, oneOf('_ / . -'), padded(1, 28), oneOf('/ - .'), YEAR),
  text(MONTHS, oneOf('_ .'), integer(4, 20), 'th', oneOf('_ . ,_'), YEAR),
)

/** 1964 as I964, 03 as O3: letters where a typist or a scanner meant figures. */
const mistyped = (date: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(date, fc.constantFrom('I', 'l')).map(([each, one]) => each.replaceAll('1', one).replaceAll('0', 'O'))

const PPS_LETTERS = fc.constantFrom('T', 'W', 'F', 'K', 'FA', 'WH', 'TA', 'OB', 'GA')
const spaced = (mark: string) => (number: string) => Array.from(number).join(mark)
const split = (at: number, mark: string) => (number: string) => number.slice(0, at) + mark + number.slice(at)

const PPS_DIGITS = text(integer(1, 9), digits(6))
/** Seven digits, the check letter that belongs to them, and A. */
const CHECKED_PPS = PPS_DIGITS.map((number) => {
  const letter = Array.from('ABCDEFGHIJKLMNOPQRSTUVW').find((each) => hasPpsCheckLetter(`${number}${each}A`))
  return `${number}${letter}A`
})
const MOBILE = text(oneOf('083 085 086 087 089'), oneOf('_ -'), integer(200, 999), digits(4))
const TEN = text(oneOf('4 6 7 9'), digits(9))
const grouped = (number: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(number, fc.constantFrom('', ' ', '-', '.', '\n'))
    .map(([each, mark]) => [each.slice(0, 3), each.slice(3, 6), each.slice(6)].join(mark))

const LOCAL = oneOf('mary mary.murphy j.byrne tom-kelly ann77 o.walsh nurse.clinic')
const HOST = oneOf('bt.health hse.ie mail.example.com example.org gp-surgery.co.uk example.scot')

export const HELD_OUT_IDENTIFIERS: Record<IdentifierShape, fc.Arbitrary<string>> = {
  pps_number: fc.oneof(
    text(PPS_DIGITS, PPS_LETTERS),
    text(PPS_DIGITS, ' ', fc.constantFrom('FA', 'TA', 'WA', 'OB')),
    text(oneOf('PPS_ PPSN_ PPSN:_ PPS_No._'), PPS_DIGITS, oneOf('_ -'), PPS_LETTERS),
    CHECKED_PPS.map(spaced(' ')),
    CHECKED_PPS.map(spaced('.')),
    CHECKED_PPS.map(split(2, ' ')).map(split(8, ' ')),
    CHECKED_PPS.map(split(4, ' ')).map(split(8, ' ')),
  ),
  eircode: text(
    oneOf('A94 C15 D02 D6W E91 F92 H65 K67 N39 P31 R95 T12 V94 W23 X91 Y35'),
    fc.constantFrom(' ', '', '-', '\n'),
    fc.oneof(
      text(oneOf('A C D E F H K N P R V W X Y'), integer(0, 9), oneOf('A D E F K P R W X Y'), integer(0, 9)),
      text('X', digits(3)),
    ),
  ),
  date: DATE,
  date_of_birth: text(
    oneOf('DOB_ DOB:_ D.O.B._ Date_of_birth:_ born_ born_on_ DOB|'),
    fc.oneof(
      DATE,
      mistyped(text(padded(10, 28), '-', padded(10, 12), '-', integer(1950, 1999))),
      mistyped(threeParts('/', YEAR)),
    ),
  ),
  phone_number: fc.oneof(
    MOBILE,
    text(oneOf('Mobile_ Mob:_ Tel_ ph_ NOK_tel_ Contact_'), MOBILE),
    text(oneOf('Tel_ Phone:_ Ph_no_ Fax_'), integer(2_000_000, 9_999_999)),
    text('+353 (', oneOf('0 O'), ')', oneOf('83 85 86 87'), ' ', integer(200, 999), ' ', digits(4)),
    text('+353 ', oneOf('83 85 86 1 21'), ' ', integer(200, 999), ' ', digits(4)),
    text('07', integer(700, 999), ' ', digits(6)),
    text('(01) ', integer(200, 999), ' ', digits(4)),
  ),
  nhs_number: text(fc.constantFrom('', '', 'NHS no. ', 'NHS: '), grouped(TEN)),
  chi_number: text(
    fc.constantFrom('', '', 'CHI ', 'CHI no: '),
    padded(1, 28),
    padded(1, 12),
    integer(30, 99),
    fc.constantFrom(' ', '-', ''),
    digits(4),
  ),
  health_and_care_number: text(fc.constantFrom('', '', 'H&C ', 'HCN: '), grouped(text('3', integer(3, 9), digits(8)))),
  email_address: fc
    .tuple(LOCAL, fc.constantFrom('@', '@', '@\n', ' (at) ', '(at)', ' [at] ', ' @ '), HOST, fc.boolean())
    .map(([local, at, host, isBroken]) => {
      if (isBroken && at === '@') return local + at + host.replace('.', '.\n')
      return local + at + (at === ' @ ' ? 'hse.ie' : host)
    })
    // A line end before an ending that few know is as likely the start of a sentence.
    .filter((address) => !/\.\n(?:health|scot)/.test(address)),
  uk_postcode: text(
    oneOf('AB BT CF EH LS NE OX SW TN YO'),
    integer(1, 9),
    fc.constantFrom(' ', '', '  '),
    integer(1, 9),
    oneOf('AB DE FG HJ LN QR TX YZ WD BU'),
  ),
  hospital_record_number: fc.oneof(
    text(
      oneOf('MRN_ MRN:_ HRN_ HRN:_ H/N_ H/N:_ Hosp_No_ Hospital_number:_ Chart_no._ HN:_ Patient_ID_ PAS_no_ MRN|'),
      integer(100_000, 9_999_999),
    ),
    text('Chart: ', oneOf('A B C M'), '\n', integer(10_000, 999_999)),
    text(oneOf('C D H K M R T'), integer(1, 9), digits(6)),
    text(integer(1, 9), digits(6)).filter((number) => !number.endsWith('000')),
  ),
}
