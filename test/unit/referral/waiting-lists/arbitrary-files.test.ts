import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPublishedFile } from '../../../../src/referral/waiting-lists/read-published-file.ts'
import { accepted, csv, LONG_HEADER, longRow, WIDE_HEADER } from './published-file.ts'

function isAnswered(bytes: Uint8Array): void {
  const read = readPublishedFile(bytes)
  if (read.ok) expect(read.dataset.specialties.length).toBeGreaterThan(0)
  else expect(read.reason).not.toBe('')
}

it('never throws on arbitrary bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isAnswered), { numRuns: 500 })
})

it('never throws on text that is nearly CSV', () => {
  const piece = fc.constantFrom(
    ',',
    '"',
    '\r',
    '\n',
    '\r\n',
    ' ',
    LONG_HEADER,
    WIDE_HEADER,
    '24/09/2026',
    'Adult',
    '12',
  )
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 6, unit: 'binary' })), { maxLength: 40 })
  fc.assert(
    fc.property(text, (pieces) => isAnswered(new TextEncoder().encode(pieces.join('')))),
    { numRuns: 500 },
  )
})

it('never throws on a good file with one byte changed', () => {
  const good = csv([LONG_HEADER, longRow({}), longRow({ specialty: '"Urology"' })])
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
      const bytes = good.slice()
      bytes[at] = byte
      isAnswered(bytes)
    }),
    { numRuns: 500 },
  )
})

it('loses nobody: lists and buckets together hold every person of the archive date', () => {
  const row = fc.record({
    hospital: fc.constantFrom('Alpha', 'Beta', 'Gamma'),
    specialty: fc.constantFrom('Cardiology', 'Urology', 'Small Volume Specialities'),
    adultChild: fc.constantFrom('Adult', 'Child'),
    ageProfile: fc.constantFrom('0-15', '16-64', '65+'),
    band: fc.constantFrom(' 0-3 Months', ' 3-6 Months', '18 Months +'),
    total: fc.nat(5000),
  })
  // The very same row twice would be damage.
  const rowsOf = fc.uniqueArray(row, { maxLength: 60, selector: longRow })
  fc.assert(
    fc.property(rowsOf, (rows) => {
      const { summary, specialties } = accepted(
        csv([LONG_HEADER, longRow({ hospital: 'Delta', total: 1 }), ...rows.map(longRow)]),
      )
      const people = rows.reduce((sum, { total }) => sum + total, 1)
      const inBuckets = summary.bucketsLeftOut.reduce((sum, bucket) => sum + bucket.people, 0)
      expect(summary.people + inBuckets).toBe(people)
      for (const { lists } of specialties) {
        for (const list of [...lists.Adult, ...lists.Child]) {
          expect(list.waiting.reduce((sum, band) => sum + band.people, 0)).toBe(list.total)
        }
      }
    }),
    { numRuns: 100 },
  )
})
