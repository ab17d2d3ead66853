import { describe, expect, it } from 'vitest'
import {
  formatBound,
  euroColumn,
  formatBytes,
  formatCallCost,
  formatDay,
  formatElapsed,
  formatEuro,
  formatMilliseconds,
  formatMoment,
  formatNumber,
  formatPercent,
  formatRelative,
  formatSeconds,
  formatTimeLeft,
  plural,
  formatWait,
} from '../../../../src/pages/text/format.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

describe('money', () => {
  it.each([
    [0, '€0.00'],
    [1234.56, '€1,234.56'],
    [0.01, '€0.01'],
    [0.0099, '€0.0099'],
    [0.000001, '€0.000001'],
    [0.0000004, '€0.00'],
    [-0.005, '-€0.005'],
  ])('%d is %s', (eur, words) => expect(formatEuro(eur)).toBe(words))
})

describe('a column', () => {
  it('of costs has four decimals, of sums two unless all is below a cent, of times two and one unit', () => {
    expect([0, 0.00004, 0.002, 0.7].map(formatCallCost)).toEqual(['€0.0000', '< €0.0001', '€0.0020', '€0.7000'])
    expect([0, 0.002, 0.7].map(euroColumn(0.702))).toEqual(['€0.00', '< €0.01', '€0.70'])
    expect([0, 0.002].map(euroColumn(0.002))).toEqual(['€0.0000', '€0.0020'])
    expect([0, 3, 620, 61_440].map(formatSeconds)).toEqual(['0.00 s', '< 0.01 s', '0.62 s', '61.44 s'])
  })
})

describe('numbers', () => {
  it('have commas, shares one digit, sizes their unit', () => {
    expect(formatNumber(1_234_567)).toBe('1,234,567')
    expect(formatPercent(0.1234)).toBe('12.3%')
    expect([0, 1023, 1024, 5_242_880].map(formatBytes)).toEqual(['0 bytes', '1,023 bytes', '1.0 KiB', '5.0 MiB'])
    expect([plural(1, 'key'), plural(0, 'key'), plural(2_000, 'entry', 'entries')]).toEqual([
      '1 key',
      '0 keys',
      '2,000 entries',
    ])
  })

  it('of how long something took have a unit that fits', () => {
    expect([0.2, 999, 12_345].map(formatElapsed)).toEqual(['1 ms', '999 ms', '12.3 s'])
    expect([12.4, 1_230].map(formatMilliseconds)).toEqual(['12\u00A0ms', '1.23\u00A0s'])
    expect([415, 1_151].map(formatBound)).toEqual(['≤\u00A0415\u00A0ms', '≤\u00A01.16\u00A0s'])
  })
})

describe('times', () => {
  it('are exact to the second, in 24 hours, with the name of their zone', () => {
    expect(formatMoment(new Date('2026-11-21T00:05:09Z'), false)).toBe('21 Nov 2026, 00:05:09 UTC')
    expect(formatMoment(new Date('2026-07-01T15:00:00Z'), false)).toBe('1 Jul 2026, 15:00:00 UTC')
    expect(formatDay('2026-09-24')).toBe('24 Sept 2026')
  })

  it.each([
    ['2026-11-21T11:59:55Z', 'just now'],
    ['2026-11-21T11:59:30Z', '30 seconds ago'],
    ['2026-11-21T11:57:00Z', '3 minutes ago'],
    ['2026-11-21T14:59:59Z', 'in 2 hours'],
    ['2026-11-20T12:00:00Z', 'yesterday'],
    ['2025-10-01T00:00:00Z', 'last year'],
  ])('%s is %s', (at, words) => expect(formatRelative(new Date(at), NOW)).toBe(words))

  it.each([
    [999, '0 s'],
    [252_000, '4 min 12 s'],
    [83_100_000, '23 h 5 min'],
    [601_200_000, '6 d 23 h'],
  ])('%d ms are left: %s', (ms, words) => expect(formatTimeLeft(ms)).toBe(words))
})

describe('how long to wait', () => {
  it.each([
    [1, '1 second'],
    [90, '90 seconds'],
    [91, '2 minutes'],
    [884, '15 minutes'],
    [86_400, '24 hours'],
  ])('is over by then: %d seconds', (seconds, said) => {
    expect(formatWait(seconds)).toBe(said)
  })
})
