// Histograms of latencies: counts in buckets of whole milliseconds, so that many days can be added up before percentiles are
// read. A bucket's upper bound is at most a sixteenth too high. Pure.

/** A histogram: the count of each bucket, up to the last bucket that is not empty. */
export type Latencies = Uint32Array

export const NO_LATENCIES: Latencies = new Uint32Array()

/** The number of buckets for 32 bits of milliseconds, which are 49 days. */
const MOST_BUCKETS = 464

/** Returns a latency's bucket: one for each millisecond below 16, then 16 to each doubling. The last has all longer ones. */
export function bucketOf(milliseconds: number): number {
  if (milliseconds < 16) return milliseconds
  if (milliseconds >= 2 ** 32) return MOST_BUCKETS - 1
  const exponent = 31 - Math.clz32(milliseconds)
  return (exponent - 3) * 16 + ((milliseconds >>> (exponent - 4)) & 15)
}

/** Returns the longest latency that a bucket counts, in milliseconds. */
export function upperBoundOf(bucket: number): number {
  if (bucket < 16) return bucket
  return (16 + (bucket % 16) + 1) * 2 ** (Math.floor(bucket / 16) - 1) - 1
}

/** True if a change between two percentiles may be an effect of the buckets alone. */
export const areNeighbours = (one: number, other: number): boolean => Math.abs(bucketOf(one) - bucketOf(other)) <= 1

export function addLatencies(to: Latencies, more: Latencies): Latencies {
  const sum = new Uint32Array(Math.max(to.length, more.length))
  sum.set(to)
  addInto(sum, more)
  return sum
}

/** Adds up many histograms of latencies. */
export function sumLatencies(all: Iterable<Latencies>): Latencies {
  const sum = new Uint32Array(MOST_BUCKETS)
  let length = 0
  for (const each of all) {
    addInto(sum, each)
    length = Math.max(length, each.length)
  }
  return sum.subarray(0, length)
}

function addInto(sum: Latencies, more: Latencies): void {
  for (let bucket = 0; bucket < more.length; bucket += 1) sum[bucket] = (sum[bucket] ?? 0) + (more[bucket] ?? 0)
}

export function countLatencies(latencies: Latencies): number {
  let count = 0
  for (const each of latencies) count += each
  return count
}

/** Returns the upper bound of the bucket that reaches this part (0 to 1) of all latencies; null if there are none. */
export function percentileOf(latencies: Latencies, part: number, count = countLatencies(latencies)): number | null {
  const wanted = Math.ceil(part * count)
  if (wanted === 0) return null
  let reached = 0
  for (const [bucket, each] of latencies.entries()) {
    reached += each
    if (reached >= wanted) return upperBoundOf(bucket)
  }
  return null
}

/** Returns four bytes a bucket, least significant first. Every machine that runs this uses that order. */
export const latenciesToBytes = (latencies: Latencies): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Uint32Array(latencies).buffer)

export const latenciesFromBytes = (bytes: ArrayBuffer): Latencies => new Uint32Array(bytes)
