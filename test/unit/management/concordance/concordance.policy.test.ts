// Concordance by specialty: blocks of at least ten outcomes that never overlap and never change, in the order of the file.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  concordanceOf,
  coverageOf,
  LEAST_OUTCOMES,
  totalsOf,
} from '../../../../src/management/concordance/concordance.policy.ts'
import type { CountedMonth, CountRow } from '../../../../src/organisation/outcomes/outcomes.store.ts'

const SEPTEMBER = (2026 - 1970) * 12 + 8

const row = (specialty: string, cell: string, n: number): CountRow => ({ specialty, cell, n })
const month = (index: number, rows: CountRow[], readings = 0): CountedMonth => ({
  month: SEPTEMBER + index,
  readings,
  closedAt: index,
  rows,
})

describe('concordance', () => {
  it('joins months until a block has ten outcomes, and says that there are more', () => {
    const months = [
      month(0, [row('Cardiology', 'ACCEPTED 11', 8), row('Cardiology', 'OVERRIDDEN 10', 1)], 30),
      month(1, [row('Cardiology', 'ACCEPTED 11', 2), row('Cardiology', 'CHOSEN 10', 2)], 10),
      month(2, [row('Cardiology', 'ACCEPTED 11', 9)], 9),
    ]
    expect(concordanceOf(months, ['Cardiology'])).toEqual([
      {
        specialty: 'Cardiology',
        blocks: [
          {
            from: '2026-09',
            to: '2026-10',
            n: 13,
            accepted: 10,
            overridden: 1,
            chosen: 2,
            reader_a_same: { k: 13, n: 13, interval: [0.772, 1] },
            reader_b_same: { k: 10, n: 13, interval: [0.497, 0.918] },
          },
        ],
      },
    ])
    expect(coverageOf(months)).toEqual({ from: '2026-09', to: '2026-11', readings: 49, with_outcome: 22 })
  })

  it('keeps the order of the file whatever the counts are; names that left it follow, and none is last', () => {
    const rows = [
      row('', 'CHOSEN 00', 90),
      row('Gone', 'ACCEPTED 11', 30),
      row('B', 'ACCEPTED 11', 10),
      row('A', 'CHOSEN 00', 50),
    ]
    const listed = concordanceOf([month(0, rows)], ['B', 'A', 'C']).map(({ specialty }) => specialty)
    expect(listed).toEqual(['B', 'A', 'Gone', null])
  })

  it('has no totals and no block under ten', () => {
    const few = concordanceOf([month(0, [row('A', 'ACCEPTED 11', LEAST_OUTCOMES - 1)])], ['A'])
    expect(few).toEqual([])
    expect(totalsOf(few)).toBeNull()
  })

  it('never shows fewer than ten, also between two answers of different days', () => {
    const cells = ['ACCEPTED 11', 'ACCEPTED 10', 'OVERRIDDEN 01', 'CHOSEN 00']
    const rows = fc.array(
      fc.tuple(fc.constantFrom('A', 'B', ''), fc.constantFrom(...cells), fc.integer({ min: 1, max: 7 })),
    )
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 8 }), fc.nat(8), (all, earlier) => {
        const months = all.map((some, index) =>
          month(
            index,
            some.map((one) => row(...one)),
          ),
        )
        const now = concordanceOf(months, ['A', 'B'])
        for (const { specialty, blocks } of now) {
          for (const { n, accepted, overridden, chosen } of blocks) {
            expect(n).toBeGreaterThanOrEqual(LEAST_OUTCOMES)
            expect(accepted + overridden + chosen).toBe(n)
          }
          const before = concordanceOf(months.slice(0, earlier), ['A', 'B']).find((one) => one.specialty === specialty)
          expect(blocks.slice(0, before?.blocks.length ?? 0)).toEqual(before?.blocks ?? [])
        }
      }),
    )
  })
})
