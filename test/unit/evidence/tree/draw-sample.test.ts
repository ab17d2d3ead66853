// The draw of a sample: the same for everybody, spread over the log, and never outside it.
import { describe, expect, it } from 'vitest'
import { drawSample } from '../../../../src/evidence/tree/draw-sample.ts'
import { sha256, sha256Hex } from '../../../../src/platform/sha256.ts'

const draw = (seed: string, first: number, treeSize: number) => drawSample({ seed, first, treeSize }, sha256)

describe('a sample', () => {
  it('is that of the form sample-1, worked out by hand here', () => {
    const seed = sha256Hex('a seed')
    const [second] = draw(seed, 100, 100_100).slice(1)
    const u = Number.parseInt(sha256Hex(Uint8Array.fromHex(`${seed}01`)).slice(0, 12), 16)
    const from = 100 + 5000 + (u % 5000)
    expect(second).toEqual({ from, before: from + 10 })
  })

  it('has a range in each twentieth, within the log, whatever the seed', () => {
    for (let n = 0; n < 200; n += 1) {
      const [first, size] = [n, n + 201 + n * 7]
      const ranges = draw(sha256Hex(`seed ${n}`), first, size)
      expect(ranges).toHaveLength(20)
      for (const [part, { from, before }] of ranges.entries()) {
        expect(from).toBeGreaterThanOrEqual(Math.min(first + Math.floor(((size - first) * part) / 20), size - 10))
        expect([before - from, before <= size]).toEqual([10, true])
      }
    }
  })

  it('is every entry where there are few, and none where there is none', () => {
    expect(draw('0'.repeat(64), 3, 16)).toEqual([
      { from: 3, before: 13 },
      { from: 13, before: 16 },
    ])
    expect(draw('0'.repeat(64), 5, 5)).toEqual([])
  })

  it('is another with another seed', () => {
    expect(draw('0'.repeat(64), 0, 10_000)).not.toEqual(draw('1'.repeat(64), 0, 10_000))
  })
})
