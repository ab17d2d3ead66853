// Work in steps: how much of it is done before others get the processor, and that nothing comes out differently for it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  forEachInSteps,
  forEachMatchInSteps,
  runInSlices,
  runSteps,
  someMatchInSteps,
  type Steps,
} from '../../../src/platform/computation-steps.ts'

function* sum(amounts: readonly number[], done: number[]): Steps<number> {
  let total = 0
  for (const amount of amounts) {
    total += amount
    done.push(amount)
    yield amount
  }
  return total
}

it('is never more than a slice and one step between two pauses, and comes to the same', async () => {
  const amounts = fc.array(fc.nat(50), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(amounts, fc.integer({ min: 1, max: 100 }), async (given, slice) => {
      const done: number[] = []
      const slices: number[] = []
      let before = 0
      const pause = async (): Promise<void> => {
        slices.push(done.length - before)
        before = done.length
      }
      const total = await runInSlices(sum(given, done), pause, slice)
      expect(total).toBe(runSteps(sum(given, [])))
      let at = 0
      for (const length of slices) {
        const within = given.slice(at, at + length)
        at += length
        const work = within.reduce((most, amount) => most + amount, 0)
        expect(work).toBeGreaterThanOrEqual(slice)
        expect(work - (within.at(-1) ?? 0)).toBeLessThan(slice)
      }
    }),
    { seed: 20261122, numRuns: 300 },
  )
})

it('lets other tasks run in each pause', async () => {
  let others = 0
  const pause = async (): Promise<void> => {
    const before = others
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        others += 1
      }, 0)
      setTimeout(resolve, 0)
    })
    expect(others).toBe(before + 1)
  }
  await runInSlices(sum([5, 5, 5, 5], []), pause, 5)
  expect(others).toBe(4)
})

it('counts the items of short lists too, since there may be many such lists', () => {
  const steps = [...forEachInSteps([1, 2, 3], () => undefined)]
  expect(steps.reduce((all, done) => all + done, 0)).toBeGreaterThan(0)
})

it('goes through every match once, in order, and a long text in several steps', () => {
  const text = 'ab '.repeat(10_000)
  const seen: number[] = []
  const steps = [...forEachMatchInSteps(text, /b/g, ({ index }) => void seen.push(index))]
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, at) => at * 3 + 1))
  expect(steps).toHaveLength(3)
})

it('goes through every item once, in order', () => {
  const items = Array.from({ length: 5_000 }, (_, index) => index)
  const seen: number[] = []
  const steps = [...forEachInSteps(items, (item) => void seen.push(item))]
  expect(seen).toEqual(items)
  expect(steps).toHaveLength(5)
})

it('finds no match that only the end of a stretch makes', () => {
  const isFound = (at: number): boolean => runSteps(someMatchInSteps(`${'-'.repeat(at)}abc`, /ab(?!c)/g, 3))
  const places = Array.from({ length: 32 }, (_, after) => 8_176 + after)
  expect(places.filter(isFound)).toEqual([])
})
