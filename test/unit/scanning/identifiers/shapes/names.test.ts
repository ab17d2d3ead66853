// Tests numbers that two shapes could fit: which name each gets, and that it gets only one.
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../../src/scanning/identifiers/find-identifiers.ts'

const shapes = (text: string) => findIdentifiers(text).map(({ shape }) => shape)

describe('ten digits', () => {
  it.each([
    ['943 476 5919', 'nhs_number'],
    ['010170 1234', 'chi_number'],
    ['0101701234', 'chi_number'],
    ['320 000 0015', 'health_and_care_number'],
    ['087 123 4567', 'phone_number'],
    ['0871234567', 'phone_number'],
    ['0818123456', 'phone_number'],
    ['NHS number 010 170 1234', 'nhs_number'],
    ['CHI 943 476 5919', 'chi_number'],
    ['Tel 943 476 5919', 'phone_number'],
    ['MRN 9434765919', 'hospital_record_number'],
    ['H&C 943 476 5919', 'health_and_care_number'],
  ])('%s is one %s', (text, shape) => {
    expect(shapes(text)).toEqual([shape])
  })
})

describe('a date', () => {
  it.each([
    ['DOB 12/03/1970', ['date_of_birth']],
    ['12/03/1970', ['date']],
    ['DOB 12/03/1970, seen 14/5/24', ['date_of_birth', 'date']],
    ['12031970', ['date']],
    ['MRN 12031970', ['hospital_record_number']],
    ['99999999', ['hospital_record_number']],
  ])('in %s is named once', (text, expected) => {
    expect(shapes(text)).toEqual(expected)
  })
})

describe('look-alikes', () => {
  it.each([
    ['2400000 U', []],
    ['2400000U benzathine', []],
    ['1234567U', ['pps_number']],
    ['PPS 2400000 U', ['pps_number']],
    ['T12 were', []],
    ['T12 X00E', ['eircode']],
    ['C15 T3N1', []],
    ['A65 F4E2', ['eircode']],
    ['A65 1234', []],
    ['Eircode A65 1234', ['eircode']],
    ['L5 1st', []],
    ['L5 1AA', ['uk_postcode']],
    ['SN60WF', []],
    ['SN6 0WF', ['uk_postcode']],
    ['NCT01234567', []],
    ['K1234567', ['hospital_record_number']],
    ['1200000 copies/ml', []],
    ['1200000', ['hospital_record_number']],
    ['insulin 10-8-12', []],
    ['seen 10-8-12', ['date']],
    ['2001-05', []],
    ['2021-05', ['date']],
    ['in 1970', []],
    ['born in 1970', ['date_of_birth']],
    ['+1.50/-0.75x180', []],
    ['500-500-1000', []],
    ['400-000-0000', ['nhs_number']],
    ['may 12', ['date']],
    ['12 may be', []],
  ])('%s gives %j', (text, expected) => {
    expect(shapes(text)).toEqual(expected)
  })
})

it('lists several shapes of one letter in order of start', () => {
  const letter = 'Re: DOB 12/03/1970, PPSN 1234567T, D02 X285, tel 087 123 4567, joe@example.ie, NHS 943 476 5919'
  expect(shapes(letter)).toEqual([
    'date_of_birth',
    'pps_number',
    'eircode',
    'phone_number',
    'email_address',
    'nhs_number',
  ])
})
