// One request makes a value, the others wait for it: also where the one fails, or is gone with its request.
import { describe, expect, it } from 'vitest'
import {
  createSingleFlight,
  FAILED_MS,
  MOST_WAITED_MS,
  SILENT_MS,
} from '../../../../src/referral/waiting-lists/single-flight.ts'

/** Time that passes when told to. Timers of a request that was cancelled never come. */
function isolate() {
  let now = 1_000
  const timers = new Set<{ at: number; action: () => void; request: string }>()
  let request = 'none'
  const build = createSingleFlight<string>({
    now: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, action, request }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  })
  async function pass(ms: number): Promise<void> {
    for (const end = now + ms; now < end;) {
      now = Math.min(end, now + 50)
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        request = timer.request
        timer.action()
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
    }
  }
  return {
    pass,
    /** A request that needs the value; what it makes is settled by hand. */
    ask: (name: string, version = 'v1') => {
      const { promise, resolve, reject } = Promise.withResolvers<string | null>()
      let built = false
      let answer: string | null | undefined
      request = name
      const answered = build(version, () => {
        built = true
        return promise
      })
      answered.then(
        (value) => (answer = value),
        () => (answer = 'threw'),
      )
      return { resolve, reject, built: () => built, answer: () => answer }
    },
    cancel: (name: string): void => {
      for (const timer of timers) if (timer.request === name) timers.delete(timer)
    },
    pending: () => timers.size,
  }
}

describe('a value that many requests need', () => {
  it('is made by the first, and is the answer of all', async () => {
    const { ask, pass, pending } = isolate()
    const [first, ...others] = ['a', 'b', 'c'].map((name) => ask(name))
    await pass(200)
    first?.resolve('value')
    await pass(100)
    expect(first?.answer()).toBe('value')
    for (const other of others) expect([other.built(), other.answer()]).toEqual([false, 'value'])
    expect(pending()).toBe(0)
    const late = ask('d')
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect([late.built(), late.answer()]).toEqual([false, 'value'])
  })

  it.each([
    ['says that it cannot be made', (first: { resolve: (value: null) => void }) => first.resolve(null), null],
    ['throws', (first: { reject: (reason: Error) => void }) => first.reject(new Error('gone')), 'threw'],
  ])('that the first %s is missed by all of them at once, and tried again a second later', async (_, fail, told) => {
    const { ask, pass } = isolate()
    const first = ask('a')
    const second = ask('b')
    fail(first)
    await pass(100)
    expect([first.answer(), second.built(), second.answer()]).toEqual([told, false, null])
    await pass(FAILED_MS)
    const third = ask('c')
    expect(third.built()).toBe(true)
  })

  it('is made by another where the first was cancelled, and not before that is plain', async () => {
    const { ask, pass, cancel } = isolate()
    ask('a')
    const [second, third] = [ask('b'), ask('c')]
    await pass(200)
    cancel('a')
    await pass(SILENT_MS - 100)
    expect([second.built(), third.built()]).toEqual([false, false])
    await pass(200)
    expect([second.built(), third.built()].filter(Boolean)).toHaveLength(1)
    const builder = second.built() ? second : third
    builder.resolve('value')
    await pass(100)
    expect([second.answer(), third.answer()]).toEqual(['value', 'value'])
  })

  it('is waited for as long as its builder lives, though never without end', async () => {
    const { ask, pass } = isolate()
    const first = ask('a')
    const second = ask('b')
    await pass(MOST_WAITED_MS - 100)
    expect(second.answer()).toBeUndefined()
    await pass(200)
    expect([second.built(), second.answer(), first.answer()]).toEqual([false, null, undefined])
  })

  it('of another version is made at once', () => {
    const { ask } = isolate()
    ask('a', 'v1')
    expect(ask('b', 'v2').built()).toBe(true)
  })
})
