// More streams than an isolate has memory for, relayed into real bodies that nobody reads: what they hold is bounded, those
// that are read go on, and what was cut says so.
import { describe, expect, it } from 'vitest'
import { openAnswerMemory } from '../../../../src/gateway/memory/answer-memory.ts'
import { createMemoryPool, POOL_LIMITS, type MemoryPool } from '../../../../src/gateway/memory/memory-pool.ts'
import { createResponseStream } from '../../../../src/gateway/stream/response-stream.ts'
import { copyStream } from '../../../../src/gateway/call/streamed-answer.ts'
import { createOutputCounter } from '../../../../src/gateway/call/bill.ts'
import type { StreamItem } from '../../../../src/providers/sse.ts'

const MIB = 1024 * 1024
const EVENT = 8 * 1024
const STALL_MS = 30_000

/** Time that passes when told to. */
function createTime() {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  return {
    now: () => now,
    after: (delayMs: number, action: () => void) => {
      const timer = { at: now + delayMs, action }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    pass: async (ms: number, stepMs = 50): Promise<void> => {
      for (const end = now + ms; now < end;) {
        now += stepMs
        for (const timer of timers) {
          if (timer.at > now) continue
          timers.delete(timer)
          timer.action()
        }
        await settled()
      }
    },
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

/** One stream of so many events, which its provider sends as fast as they are taken; null where it has no place. */
function start(pool: MemoryPool, time: ReturnType<typeof createTime>, owner: string, events: number) {
  const place = openAnswerMemory(pool, owner)
  if (place === null) return null
  let held = 0
  const stream = createResponseStream({
    stallMs: STALL_MS,
    signal: new AbortController().signal,
    after: time.after,
    now: time.now,
    memory: {
      ...place,
      resize: (bytes) => {
        held = bytes
        return place.resize(bytes)
      },
      watch: ({ waitsSince, drop }) =>
        place.watch({
          waitsSince,
          drop: () => {
            held = 0
            drop()
          },
        }),
    },
  })
  async function* batches(): AsyncGenerator<readonly StreamItem[], void> {
    for (let n = 0; n < events; n++) {
      yield [{ raw: new Uint8Array(EVENT), data: 'x', events: [] }]
    }
    yield [{ raw: new Uint8Array(0), data: null, events: [{ type: 'end' }] }]
  }
  const carried = copyStream(batches(), {
    writer: { push: ({ raw }) => (raw.length === 0 ? [] : [raw]), isComplete: () => false, bufferedBytes: () => 0 },
    stream,
    soFar: createOutputCounter(),
    keep: () => true,
    noteCost: () => undefined,
    whenComplete: () => [],
  }).then((failure) => {
    stream.close([new TextEncoder().encode(failure === null ? 'whole' : 'error')])
    return failure
  })
  return { stream, carried, held: () => held }
}

type Started = NonNullable<ReturnType<typeof start>>

const openAll = (pool: MemoryPool, time: ReturnType<typeof createTime>, owners: readonly string[]): Started[] =>
  owners.map((owner) => start(pool, time, owner, 256)).filter((started) => started !== null)

const heldBy = (streams: readonly Started[]): number => streams.reduce((sum, { held }) => sum + held(), 0)

const owners = (count: number, ...names: string[]) =>
  Array.from({ length: count }, (_, n) => names[n % names.length] ?? '')

/** With an event above what each may hold of its own. */
const most = (streams: number, bytes: number): number => bytes + streams * (POOL_LIMITS.answerBytes + EVENT + 200)

describe('streams that nobody reads', () => {
  it('hold no more together than an organisation may, and no more than an isolate has', async () => {
    const time = createTime()
    const pool = createMemoryPool(time)
    const one = openAll(pool, time, owners(60, 'a'))
    await time.pass(1_000)
    expect(heldBy(one)).toBeLessThanOrEqual(most(60, 16 * MIB))
    expect(heldBy(one)).toBeGreaterThan(15 * MIB)
    const more = openAll(pool, time, owners(60, 'b', 'c', 'd'))
    await time.pass(1_000)
    expect(heldBy([...one, ...more])).toBeLessThanOrEqual(most(120, 32 * MIB))
  })

  it('lose theirs to those that are read: these get all, and those are told', async () => {
    const time = createTime()
    const pool = createMemoryPool(time)
    const unread = openAll(pool, time, owners(60, 'a', 'b'))
    await time.pass(2_500)
    const large = pool.enter('c', { bytes: 12 * MIB, answers: 0 })
    expect(large).not.toBeNull()
    const reading = start(pool, time, 'c', 512)
    const all = reading && Array.fromAsync(reading.stream.body)
    await time.pass(1_000)
    const read = await all
    expect(read?.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(512 * EVENT + 'whole'.length)

    await time.pass(STALL_MS)
    const failures = await Promise.all(unread.map(({ carried }) => carried))
    expect(new Set(failures.map((failure) => failure?.kind))).toEqual(new Set(['cancelled']))
    expect(heldBy(unread)).toBe(0)
    for (const { stream } of unread) {
      const pieces = await Array.fromAsync(stream.body)
      expect(new TextDecoder().decode(pieces.at(-1))).toBe('error')
    }
  })

  it('do not keep others out by their number', async () => {
    const time = createTime()
    const pool = createMemoryPool(time)
    const unread = openAll(pool, time, owners(POOL_LIMITS.totalAnswers, 'a', 'b'))
    expect(unread).toHaveLength(POOL_LIMITS.totalAnswers)
    expect(start(pool, time, 'c', 1)).toBeNull()
    await time.pass(2_500, 500)
    expect(start(pool, time, 'c', 1)).not.toBeNull()
  })
})
