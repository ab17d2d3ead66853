// The check digits that break ties: known numbers, and the ones that look right and are not.
import { expect, it } from 'vitest'
import { isSnomedConcept } from '../../../../../src/scanning/identifiers/context/clinical-codes.ts'
import { hasModulus11CheckDigit } from '../../../../../src/scanning/identifiers/shapes/health-number.ts'
import { hasPpsCheckLetter } from '../../../../../src/scanning/identifiers/shapes/pps-number.ts'

it.each(['9434765919', '9434765870', '9876543210', '3200000015', '3999999993', '4000000004', '8120000005'])(
  'accepts the check digit of %s',
  (number) => expect(hasModulus11CheckDigit(number)).toBe(true),
)

it.each(['9434765871', '9876543211', '999000000', '99900000001', ''])('refuses the check digit of "%s"', (number) => {
  expect(hasModulus11CheckDigit(number)).toBe(false)
})

it.each([
  '6433435F',
  '6433435FT',
  '6433435FW',
  '6433435OA',
  '6433435IH',
  '1234567T',
  '1234567FA',
  '1234567WH',
  '1234567OB',
])('accepts the check letter of %s', (number) => expect(hasPpsCheckLetter(number)).toBe(true))

it.each(['6433435E', '6433435VH', '1234567A', '111222333', '1234567'])('refuses the check letter of %s', (number) => {
  expect(hasPpsCheckLetter(number)).toBe(false)
})

it.each(['38341003', '44054006', '73211009', '195967001', '22298006'])('knows %s as a SNOMED CT concept', (code) => {
  expect(isSnomedConcept(code)).toBe(true)
})

it.each(['38341004', '38341013', '12345678', '1234567', '038341003'])('does not take %s for one', (code) => {
  expect(isSnomedConcept(code)).toBe(false)
})
