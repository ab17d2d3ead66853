// The counted calls against a list of them all: exact whatever the clock does and whatever is still held in memory, and
// without keeping the list.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Counts } from '../../../src/keys/limits.policy.ts'
import { LimitsStore } from '../../../src/keys/limits.store.ts'
import { MINUTE_MS, utcDay } from '../../../src/platform/clock.ts'
import { runs } from '../../support/runs.ts'

const START = Date.UTC(2091, 2, 15, 23, 58)
const SUBJECT = 'key_of_a_test'

let objects = 0

const inStore = (work: (store: LimitsStore, sql: SqlStorage) => void): Promise<void> => {
  const id = env.ORGANISATIONS.idFromName(`org_of_limits_${(objects += 1)}`)
  return runInDurableObject(env.ORGANISATIONS.get(id), (_, { storage: { sql } }) => work(new LimitsStore(sql), sql))
}

/** @param counted when the calls so far were made, oldest first */
function countNaively(counted: readonly number[], at: number): Counts {
  const inWindow = counted.filter((earlier) => earlier > at - MINUTE_MS)
  return {
    inWindow: inWindow.length,
    oldestAt: inWindow[0] ?? null,
    inDay: counted.filter((earlier) => utcDay(earlier) === utcDay(at)).length,
  }
}

const heldCalls = (sql: SqlStorage): number => sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM calls').one().n

describe('counted calls', () => {
  it('are those of the last 60 seconds and of the day, whatever the clock does and the object has forgotten', async () => {
    const call = fc.record({
      laterMs: fc.oneof(fc.integer({ min: -5_000, max: 30_000 }), fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS)),
      isCounted: fc.boolean(),
      isForgotten: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60 }), (calls) =>
        inStore((store) => {
          const counted: number[] = []
          let now = START
          for (const { laterMs, isCounted, isForgotten } of calls) {
            now += laterMs
            if (isForgotten) store.forget()
            const found = store.countCalls(SUBJECT, now)
            expect(found.at).toBe(Math.max(now, counted.at(-1) ?? now))
            expect(found.counts).toEqual(countNaively(counted, found.at))
            if (!isCounted) continue
            store.insertCall(SUBJECT, found)
            counted.push(found.at)
          }
        }),
      ),
      { numRuns: runs(60) },
    )
  })

  it('are kept for the window, and 64 beyond it at most', () =>
    inStore((store, sql) => {
      for (let n = 0; n < 300; n++) store.insertCall(SUBJECT, store.countCalls(SUBJECT, START + n * 20_000))
      expect(heldCalls(sql)).toBeLessThanOrEqual(3 + 64)
      expect(store.countCalls(SUBJECT, START + 300 * 20_000).counts.inWindow).toBe(2)
    }))

  it('of one subject say nothing of another', () =>
    inStore((store) => {
      store.insertCall(SUBJECT, store.countCalls(SUBJECT, START))
      expect(store.countCalls('key_of_another', START).counts).toEqual({ inWindow: 0, oldestAt: null, inDay: 0 })
    }))
})
