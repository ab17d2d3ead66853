// Latencies as counts in buckets of whole milliseconds, so that those of many days are added up and percentiles told of all of them.
// A bucket's upper bound is at most a sixteenth too high. Pure.

/** Counts by bucket, up to the last that has any. */
export type Latencies = Uint32Array

export const NO_LATENCIES: Latencies = new Uint32Array()

/** Sixteen buckets to each doubling; below sixteen milliseconds each has its own. */
export function bucketOf(milliseconds: number): number {
  if (milliseconds < 16) return milliseconds
  const exponent = 31 - Math.clz32(milliseconds)
  return (exponent - 3) * 16 + ((milliseconds >>> (exponent - 4)) & 15)
}

/** The longest that a bucket counts. */
export function upperBoundOf(bucket: number): number {
  if (bucket < 16) return bucket
  return (16 + (bucket % 16) + 1) * 2 ** (Math.floor(bucket / 16) - 1) - 1
}

export function addLatencies(to: Latencies, more: Latencies, times = 1): Latencies {
  const sum = to.length >= more.length ? to.slice() : extended(to, more.length)
  for (const [bucket, count] of more.entries()) sum[bucket] = (sum[bucket] ?? 0) + count * times
  return sum
}

export const countLatencies = (latencies: Latencies): number => latencies.reduce((sum, count) => sum + count, 0)

/** The upper bound of the bucket in which the so manieth part of all is reached; null where there are none. `part`: 0 to 1. */
export function percentileOf(latencies: Latencies, part: number): number | null {
  const wanted = Math.ceil(part * countLatencies(latencies))
  if (wanted === 0) return null
  let reached = 0
  const bucket = latencies.findIndex((count) => (reached += count) >= wanted)
  return upperBoundOf(bucket)
}

/** Four bytes a bucket, least significant first, whatever the machine. */
export function latenciesToBytes(latencies: Latencies): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(latencies.length * BYTES)
  const view = new DataView(bytes.buffer)
  for (const [bucket, count] of latencies.entries()) view.setUint32(bucket * BYTES, count, true)
  return bytes
}

export function latenciesFromBytes(bytes: ArrayBuffer): Latencies {
  const view = new DataView(bytes)
  const latencies = new Uint32Array(bytes.byteLength / BYTES)
  for (let bucket = 0; bucket < latencies.length; bucket += 1) latencies[bucket] = view.getUint32(bucket * BYTES, true)
  return latencies
}

const BYTES = 4

function extended(latencies: Latencies, length: number): Latencies {
  const longer = new Uint32Array(length)
  longer.set(latencies)
  return longer
}
