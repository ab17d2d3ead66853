// Latencies in buckets: where a bucket begins and ends, and percentiles of what was counted.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addLatencies,
  areNeighbours,
  bucketOf,
  countLatencies,
  latenciesFromBytes,
  latenciesToBytes,
  NO_LATENCIES,
  percentileOf,
  upperBoundOf,
} from '../../../../src/organisation/usage/latency-histogram.ts'
import { runs } from '../../../support/runs.ts'

const counted = (milliseconds: readonly number[]) => {
  let latencies = NO_LATENCIES
  for (const each of milliseconds) {
    const one = new Uint32Array(bucketOf(each) + 1)
    one[bucketOf(each)] = 1
    latencies = addLatencies(latencies, one)
  }
  return latencies
}

describe('a bucket', () => {
  it.each([
    [0, 0, 0],
    [15, 15, 15],
    [16, 16, 16],
    [32, 32, 33],
    [100, 57, 103],
    [999, 111, 1023],
    [1024, 112, 1087],
    [60_000, 205, 61_439],
    [2_147_483_647, 447, 2_147_483_647],
    [4_294_967_295, 463, 4_294_967_295],
  ])('of %i ms is number %i, up to %i ms', (milliseconds, bucket, upper) => {
    expect(bucketOf(milliseconds)).toBe(bucket)
    expect(upperBoundOf(bucket)).toBe(upper)
  })

  it.each([4_294_967_296, 4_294_967_301, 2 ** 40, Number.MAX_SAFE_INTEGER])('of %i ms is the last', (milliseconds) => {
    expect(bucketOf(milliseconds)).toBe(463)
  })

  it('is at most a sixteenth too high, and no two overlap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (milliseconds) => {
        const upper = upperBoundOf(bucketOf(milliseconds))
        expect(upper).toBeGreaterThanOrEqual(milliseconds)
        expect(upper - milliseconds).toBeLessThanOrEqual(milliseconds / 16)
        expect(bucketOf(upper)).toBe(bucketOf(milliseconds))
        expect(bucketOf(upper + 1)).toBe(bucketOf(milliseconds) + 1)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('a percentile', () => {
  it('has changed only if it is more than one bucket away', () => {
    expect([415, 431, 399, 447, 383].map((other) => areNeighbours(415, other))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('is the upper bound of the bucket in which so many are reached', () => {
    const latencies = counted([120, 130, 131, 150, 180, 200, 210, 260, 300, 900])
    expect(countLatencies(latencies)).toBe(10)
    expect([0.5, 0.95, 0.99, 1].map((part) => percentileOf(latencies, part))).toEqual([183, 927, 927, 927])
  })

  it('is none where nothing was counted', () => {
    expect(percentileOf(NO_LATENCIES, 0.5)).toBeNull()
  })
})

it('comes back from its bytes as it was', () => {
  const latencies = counted([0, 3, 3, 70_000])
  expect(latenciesFromBytes(latenciesToBytes(latencies).buffer)).toEqual(latencies)
})
