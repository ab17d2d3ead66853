import { describe, expect, it } from 'vitest'
import { withHeaderSlots } from '../../../../src/referral/readers/header-slots.ts'

/** A fetch whose requests wait for their headers until they are let go, in the order in which they came. */
function heldFetch() {
  const waiting: { url: string; answer: (response: Response) => void; fail: (error: Error) => void }[] = []
  const fetch = (url: string): Promise<Response> =>
    new Promise((answer, fail) => {
      waiting.push({ url, answer, fail })
    })
  return { waiting, fetch }
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

describe('header slots', () => {
  it('lets no more than the slots wait for headers, and the next in when one has its headers', async () => {
    const { waiting, fetch } = heldFetch()
    const limited = withHeaderSlots(fetch, 2)
    const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((url) => limited(url, {})))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b'])
    waiting[1]?.answer(new Response('b'))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b', 'c'])
    waiting[0]?.fail(new Error('gone'))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b', 'c', 'd'])
    waiting[2]?.answer(new Response('c'))
    waiting[3]?.answer(new Response('d'))
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  })

  it('lets whoever gives up leave the queue, and keeps its place for nobody', async () => {
    const { waiting, fetch } = heldFetch()
    const limited = withHeaderSlots(fetch, 1)
    const leaving = new AbortController()
    const first = limited('a', {})
    const second = limited('b', { signal: leaving.signal })
    const third = limited('c', {})
    leaving.abort()
    await expect(second).rejects.toThrow('left the queue')
    await settle()
    waiting[0]?.answer(new Response('a'))
    await first
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'c'])
    waiting[1]?.answer(new Response('c'))
    await third
  })
})
