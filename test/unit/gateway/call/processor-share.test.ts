// The order of long work: organisations take turns, and each may have so much scanned in a minute.
import { describe, expect, it } from 'vitest'
import { createProcessorShare } from '../../../../src/gateway/call/processor-share.ts'

const LIMITS = { lookMs: 8, lateMs: 4, lostMs: 50, charactersPerMinute: 100 }

/** A share whose time passes when told to. */
function openShare(limits = LIMITS) {
  let now = 1_000_000
  let looks = 0
  const timers: { at: number; action: () => void }[] = []
  const share = createProcessorShare({
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
    ...share,
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

type Share = ReturnType<typeof openShare>

/** A call that does so many slices of work, each written down. */
async function work(share: Share, owner: string, call: string, slices: number, done: string[]): Promise<void> {
  const turns = share.enter(owner)
  for (let slice = 0; slice < slices; slice += 1) {
    await turns.next()
    done.push(call)
  }
  turns.leave()
}

describe('calls with long work', () => {
  it('go on after each slice where nobody else waits', async () => {
    const share = openShare()
    const done: string[] = []
    const working = work(share, 'one', 'a', 3, done)
    expect(done).toEqual([])
    await share.pass(0)
    await working
    expect(done).toEqual(['a', 'a', 'a'])
  })

  it('of one organisation run one after the other', async () => {
    const share = openShare()
    const done: string[] = []
    const working = ['a', 'b', 'c'].map((call) => work(share, 'one', call, 2, done))
    await share.pass(40)
    await Promise.all(working)
    expect(done.join('')).toBe('aabbcc')
  })

  it('of several organisations take turns, however many calls each has', async () => {
    const share = openShare()
    const done: string[] = []
    const eight = Array.from({ length: 8 }, () => work(share, 'one', 'a', 10, done))
    await share.pass(0)
    const other = work(share, 'two', 'b', 5, done)
    await share.pass(40)
    await other
    const until = done.lastIndexOf('b')
    const since = done.indexOf('b')
    const between = done.slice(since, until + 1).join('')
    expect(between).toBe('babababab')
    await share.pass(400)
    await Promise.all(eight)
  })

  it('wait a moment only for one that was ended by force, and not for one that left', async () => {
    const share = openShare()
    const done: string[] = []
    const working = work(share, 'two', 'b', 6, done)
    for (let ended = 1; ended <= 3; ended += 1) {
      // Its turn comes, and then it never looks again.
      void share.enter('one').next()
      const left = share.enter('three')
      void left.next()
      left.leave()
      await share.pass(LIMITS.lateMs + 4)
    }
    expect(done).toHaveLength(6)
    await working
  })

  it('go on after the processor was busy for so long that they were forgotten', async () => {
    const share = openShare()
    const done: string[] = []
    const working = ['a', 'b'].map((call) => work(share, 'one', call, 2, done))
    share.skip(LIMITS.lostMs * 2)
    share.enter('two').leave()
    await share.pass(40)
    await Promise.all(working)
    expect(done.toSorted().join('')).toBe('aabb')
  })

  it('look seldom where many of their organisation are before them', async () => {
    const share = openShare({ ...LIMITS, lookMs: 100 })
    const done: string[] = []
    const working = Array.from({ length: 100 }, () => work(share, 'one', 'a', 100, done))
    await share.pass(100)
    // The first looks once a turn, and of the others none as often as each millisecond.
    expect(share.looks() - done.length).toBeLessThan(1_000)
    await share.pass(200)
    await Promise.all(working)
    expect(done).toHaveLength(10_000)
  })
})

describe('what is scanned within a minute', () => {
  it('is bounded for each organisation, and there is room again after the minute', async () => {
    const share = openShare()
    expect(share.take('one', 60)).toBe(0)
    share.skip(20_000)
    expect(share.take('one', 41)).toBe(40_000)
    expect(share.take('one', 40)).toBe(0)
    expect(share.take('one', 1)).toBe(40_000)
    expect(share.take('two', 100)).toBe(0)
    share.skip(40_000)
    expect(share.take('one', 100)).toBe(0)
  })

  it('may be one text that is longer, so that no text is refused for ever', () => {
    const share = openShare()
    expect(share.take('one', 1_000)).toBe(0)
    expect(share.take('one', 1)).toBe(60_000)
  })
})
