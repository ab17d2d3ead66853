// Makes identifiers of every shape, valid and mistyped, and clinical phrases that hold none.
import fc from 'fast-check'
import type { IdentifierShape } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'

const digits = (length: number) =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((each) => each.join(''))
const integer = (min: number, max: number) => fc.integer({ min, max })
const padded = (min: number, max: number) => integer(min, max).map((value) => String(value).padStart(2, '0'))
const oneOf = (text: string) => fc.constantFrom(...text.split(' '))
const letters = (alphabet: string, length: number) =>
  fc
    .array(fc.constantFrom(...alphabet.split('')), { minLength: length, maxLength: length })
    .map((each) => each.join(''))
const text = (...parts: (string | fc.Arbitrary<string | number>)[]) =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((each) => each.join(''))

const MONTHS = oneOf(
  'Jan January Feb February March Apr April May June July Aug August Sept September Oct Nov December',
)
const grouped = (number: fc.Arbitrary<string>, gaps: string) =>
  fc
    .tuple(number.filter(isNoRowOfDoses), fc.constantFrom('', ...gaps.split('')))
    .map(([each, gap]) => groups(each).join(gap))

const groups = (number: string) => [number.slice(0, 3), number.slice(3, 6), number.slice(6)]

/** 500-500-1000 could be a number as well, and passes. */
const isNoRowOfDoses = (number: string): boolean =>
  !groups(number).every((group) => Number(group) > 0 && /[05]0$/.test(group))

/** No check digit is computed: nine or ten in every eleven numbers made here are mistyped ones. */
export const IDENTIFIERS: Record<IdentifierShape, fc.Arbitrary<string>> = {
  pps_number: text(
    digits(6),
    integer(1, 9),
    oneOf('A B C D E F H I J K L M N O P Q R S T V W'),
    fc.constantFrom('', 'A', 'B', 'H', 'T', 'W'),
  ),
  eircode: text(
    oneOf('A65 A94 C15 D02 D6W E91 F92 H65 K67 N39 P31 R95 T12 V94 W23 X91 Y35'),
    fc.constantFrom(' ', '', '-'),
    letters('ACDEFHKNPRVWXY', 1),
    fc.nat(9),
    letters('ADEFKPRWXY', 1),
    fc.nat(9),
  ),
  date: fc.oneof(
    text(padded(1, 31), fc.constantFrom('/', '.', '-'), padded(1, 12), '/', integer(1920, 2029)),
    text(padded(1, 31), '/', padded(1, 12), '/', padded(0, 99)),
    text(integer(1920, 2029), '-', padded(1, 12), '-', padded(1, 31)),
    text(integer(4, 20), fc.constantFrom('th ', ' ', '-', 'th of '), MONTHS, ' ', integer(1920, 2029)),
    text(MONTHS, ' ', integer(4, 20), fc.constantFrom('th, ', ', '), integer(1920, 2029)),
  ),
  date_of_birth: text(
    fc.constantFrom('DOB ', 'DOB: ', 'D.O.B. ', 'Date of birth: ', 'date of birth is ', 'born ', 'Born on '),
    fc.oneof(
      text(padded(1, 31), '/', padded(1, 12), '/', integer(1920, 2029)),
      text(integer(1, 28), ' ', MONTHS, ' ', integer(1920, 2029)),
    ),
  ),
  phone_number: fc.oneof(
    text(
      oneOf('083 085 086 087 089'),
      fc.constantFrom(' ', '-', ''),
      integer(200, 999),
      fc.constantFrom(' ', ''),
      digits(4),
    ),
    text('+353 ', oneOf('83 85 86 87 89 1 21 61'), ' ', integer(200, 999), ' ', digits(4)),
    text(fc.constantFrom('07', '+44 7', '0044 7'), integer(700, 999), ' ', digits(6)),
    text(fc.constantFrom('(01) ', '01 ', '01-'), integer(200, 999), ' ', digits(4)),
    text('020 7946 0', digits(3)),
  ),
  nhs_number: grouped(text(oneOf('4 6 7 9'), digits(9)), ' -.'),
  chi_number: text(padded(1, 30), padded(1, 12), integer(30, 99), fc.constantFrom(' ', '-'), digits(4)),
  health_and_care_number: grouped(text('3', integer(3, 9), digits(8)), ' -.'),
  email_address: text(
    letters('abcdefghjkmnopqrtuvwxyz', 6),
    fc.constantFrom('', '.', '-', '_'),
    digits(2),
    '@',
    letters('abcdefghjkmnopqrtuvwxyz', 5),
    fc.constantFrom('.ie', '.com', '.co.uk', '.org'),
  ),
  uk_postcode: text(
    oneOf('AB BT CF EH LS NE OX SW TN YO'),
    integer(1, 9),
    fc.constantFrom('', '5'),
    ' ',
    integer(1, 9),
    // A month on the next line would make a day of an ordinal, figures there a record number of HN and its like.
    letters('ABDEFGHJLNPQRSTUWXYZ', 2).filter((unit) => !/^(?:ST|ND|RD|TH|[HRB]N)$/.test(unit)),
  ),
  hospital_record_number: fc.oneof(
    text(letters('CDHKMRT', 1), integer(1, 9), digits(6)),
    text(fc.constantFrom('MRN ', 'MRN: ', 'Chart no. ', 'Hospital number: ', 'Hosp No '), integer(10_000, 999_999)),
  ),
}

const decimal = (min: number, max: number) => integer(min * 10, max * 10).map((tenths) => (tenths / 10).toFixed(1))
const dose = oneOf('2.5 5 10 12.5 20 25 50 75 100 250 500 625 1000')

/** One phrase of a letter, with the figures that letters are full of. */
export const CLINICAL_PHRASE: fc.Arbitrary<string> = fc.oneof(
  text(integer(1, 11), oneOf('/7 /52 /12 /24'), fc.constantFrom(' of cough', ' hx', '')),
  text('BP ', integer(80, 220), '/', integer(40, 120)),
  text('HR ', integer(40, 160), ' RR ', integer(10, 40), ' sats ', integer(80, 100), '% T ', decimal(35, 41)),
  text('GCS ', integer(3, 15), '/15'),
  text('pain ', integer(0, 10), '/10'),
  text('VA R 6/', oneOf('5 6 7.5 9 12 18 24 36 60'), ' L 6/', oneOf('5 6 9 12 18 24 36 60')),
  text('G', integer(1, 9), 'P', integer(0, 8), '+', integer(0, 4), ' at ', integer(5, 41), '+', integer(0, 6), '/40'),
  text(oneOf('L C'), integer(1, 4), '/', integer(2, 6), fc.constantFrom(' stenosis', ' prolapse')),
  text('T', integer(1, 12), fc.constantFrom(' were', ' tear', ' wedge #', ' down', ' 2023')),
  text(
    oneOf('amoxicillin metformin bisoprolol ramipril sertraline'),
    ' ',
    dose,
    ' mg ',
    oneOf('od bd tds qds nocte'),
    ' ',
    integer(3, 14),
    '/7',
  ),
  text(
    fc.constantFrom('insulin ', 'NovoRapid ', 'Lantus ', 'Humalog Mix25 '),
    integer(2, 30),
    '-',
    integer(0, 12),
    '-',
    integer(10, 30),
    fc.constantFrom(' units', ''),
  ),
  text('Na ', integer(110, 150), ' K ', decimal(2, 6), ' Ur ', decimal(2, 40), ' Cr ', integer(40, 900)),
  text('Hb ', integer(50, 180), ' WCC ', decimal(1, 40), ' plt ', integer(10, 900)),
  text('platelets ', integer(10, 900), '000'),
  text('viral load ', integer(1, 9), digits(6), ' copies/ml'),
  text('HbA1c ', integer(30, 120), ' (was ', integer(30, 120), ')'),
  text('PEFR ', integer(100, 600), ', ', integer(100, 600), ' and ', integer(100, 600)),
  text('IOL ', oneOf('SN60WF SN60AT SA60AT MA30BA ZCB00 MX60E'), ' +', decimal(10, 30), 'D'),
  text('R +', decimal(0, 6), '0/-', decimal(0, 4), '5x', integer(1, 180)),
  text('pT', integer(1, 4), ' N', integer(0, 3), ' M0, ', integer(0, 6), '/', integer(7, 30), ' nodes'),
  text('ICD-10 ', oneOf('I21 E11 K56 H91 R51 N39 C15'), '.', integer(0, 9)),
  text(oneOf('since in until'), ' ', integer(1950, 2029)),
  text(integer(1, 99), fc.constantFrom(' year old', 'yo', '/12 old', 'M', 'F')),
  text(integer(2, 40), ' x ', integer(2, 40), ' x ', integer(2, 40), ' mm'),
  text(integer(14, 25), 'G needle, ', integer(3, 6), '-0 Vicryl'),
  text(fc.constantFrom('B12 5ug', 'B12 1 mg', 'L5 1st', 'S1 2nd', 'SpO2 98%', 'CO2 26', 'T4 18', 'FiO2 0.4')),
  text('QRISK ', decimal(1, 40), '%, CFS ', integer(1, 9), ', EF ', integer(10, 70), '-', integer(71, 75), '%'),
  text(fc.constantFrom('last Tuesday', 'two weeks ago', 'in March', 'next month', 'at 0800', 'at 14:30')),
)
