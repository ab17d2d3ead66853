// The order of long work: organisations take turns, and each may have so much scanned in a minute.
import { describe, expect, it } from 'vitest'
import { createFairQueue } from '../../../../src/gateway/call/fair-queue.ts'

const LIMITS = { pollMs: 8, lateMs: 4, lostMs: 50, charactersPerMinute: 100 }

/** A queue whose time passes when told to. */
function openQueue(limits = LIMITS) {
  let now = 1_000_000
  let looks = 0
  const timers: { at: number; action: () => void }[] = []
  const queue = createFairQueue({
    limits,
    now: () => now,
    after(delayMs, action) {
      looks += 1
      const timer = { at: now + delayMs, action }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  })
  return {
    ...queue,
    looks: (): number => looks,
    skip: (ms: number): void => void (now += ms),
    /** Lets so many milliseconds pass one by one, and whoever waits for one go on. */
    async pass(ms: number) {
      for (let end = now + ms; ; now += 1) {
        for (let due = true; due;) {
          due = false
          for (const timer of timers.filter(({ at }) => at <= now)) {
            timers.splice(timers.indexOf(timer), 1)
            timer.action()
            due = true
          }
          for (let tick = 0; tick < 5; tick += 1) await Promise.resolve()
        }
        if (now >= end) return
      }
    },
  }
}

type Queue = ReturnType<typeof openQueue>

/** A call that does so many slices of work, each written down. */
async function work(queue: Queue, owner: string, call: string, slices: number, done: string[]): Promise<void> {
  const turns = queue.enter(owner)
  for (let slice = 0; slice < slices; slice += 1) {
    await turns.next()
    done.push(call)
  }
  turns.leave()
}

describe('calls with long work', () => {
  it('go on after each slice where nobody else waits', async () => {
    const queue = openQueue()
    const done: string[] = []
    const working = work(queue, 'one', 'a', 3, done)
    expect(done).toEqual([])
    await queue.pass(0)
    await working
    expect(done).toEqual(['a', 'a', 'a'])
  })

  it('of one organisation run one after the other', async () => {
    const queue = openQueue()
    const done: string[] = []
    const working = ['a', 'b', 'c'].map((call) => work(queue, 'one', call, 2, done))
    await queue.pass(40)
    await Promise.all(working)
    expect(done.join('')).toBe('aabbcc')
  })

  it('of several organisations take turns, however many calls each has', async () => {
    const queue = openQueue()
    const done: string[] = []
    const eight = Array.from({ length: 8 }, () => work(queue, 'one', 'a', 10, done))
    await queue.pass(0)
    const other = work(queue, 'two', 'b', 5, done)
    await queue.pass(40)
    await other
    const until = done.lastIndexOf('b')
    const since = done.indexOf('b')
    const between = done.slice(since, until + 1).join('')
    expect(between).toBe('babababab')
    await queue.pass(400)
    await Promise.all(eight)
  })

  it('wait a moment only for one that was ended by force, and not for one that left', async () => {
    const queue = openQueue()
    const done: string[] = []
    const working = work(queue, 'two', 'b', 6, done)
    for (let ended = 1; ended <= 3; ended += 1) {
      // Its turn comes, and then it never looks again.
      void queue.enter('one').next()
      const left = queue.enter('three')
      void left.next()
      left.leave()
      await queue.pass(LIMITS.lateMs + 4)
    }
    expect(done).toHaveLength(6)
    await working
  })

  it('go on after the processor was busy for so long that they were forgotten', async () => {
    const queue = openQueue()
    const done: string[] = []
    const working = ['a', 'b'].map((call) => work(queue, 'one', call, 2, done))
    queue.skip(LIMITS.lostMs * 2)
    queue.enter('two').leave()
    await queue.pass(40)
    await Promise.all(working)
    expect(done.toSorted().join('')).toBe('aabb')
  })

  it('look seldom where many of their organisation are before them', async () => {
    const queue = openQueue({ ...LIMITS, pollMs: 100 })
    const done: string[] = []
    const working = Array.from({ length: 100 }, () => work(queue, 'one', 'a', 100, done))
    await queue.pass(100)
    // The first looks once a turn, and of the others none as often as each millisecond.
    expect(queue.looks() - done.length).toBeLessThan(1_000)
    await queue.pass(200)
    await Promise.all(working)
    expect(done).toHaveLength(10_000)
  })
})

describe('what is scanned within a minute', () => {
  it('is bounded for each organisation, and there is room again after the minute', async () => {
    const queue = openQueue()
    expect(queue.take('one', 60)).toBe(0)
    queue.skip(20_000)
    expect(queue.take('one', 41)).toBe(40_000)
    expect(queue.take('one', 40)).toBe(0)
    expect(queue.take('one', 1)).toBe(40_000)
    expect(queue.take('two', 100)).toBe(0)
    queue.skip(40_000)
    expect(queue.take('one', 100)).toBe(0)
  })

  it('may be one text that is longer, so that no text is refused for ever', () => {
    const queue = openQueue()
    expect(queue.take('one', 1_000)).toBe(0)
    expect(queue.take('one', 1)).toBe(60_000)
  })
})
