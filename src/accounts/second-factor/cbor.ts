// Reads CBOR as authenticators write it: definite lengths in their shortest form, no tags, no floats, no key twice.
// https://www.rfc-editor.org/rfc/rfc8949
import { decodeUtf8 } from '../../platform/bytes.ts'

type Bytes = Uint8Array<ArrayBuffer>

const MOST_DEPTH = 5
/** Members of a list or map. Authenticators send at most a dozen. */
const MOST_MEMBERS = 32

/** By the five bits that announce it: a longer argument's bytes, and the least number that needs them. */
const LONGER_ARGUMENTS = new Map([
  [24, { size: 1, least: 24 }],
  [25, { size: 2, least: 256 }],
  [26, { size: 4, least: 65_536 }],
])

class Malformed extends Error {}

const malformed = (): never => {
  throw new Malformed('not CBOR of an authenticator')
}

/** Reads the map that the bytes begin with. Returns it with its length in bytes, or null. */
export function readCborMap(bytes: Bytes): { map: ReadonlyMap<unknown, unknown>; length: number } | null {
  let at = 0

  function take(length: number): Bytes {
    if (at + length > bytes.length) malformed()
    return bytes.slice(at, (at += length))
  }

  const number = (size: number): number => take(size).reduce((sum, byte) => sum * 256 + byte, 0)

  function argument(info: number): number {
    if (info < 24) return info
    const { size, least } = LONGER_ARGUMENTS.get(info) ?? malformed()
    const value = number(size)
    return value >= least ? value : malformed()
  }

  function read(depth: number): unknown {
    if (depth > MOST_DEPTH) malformed()
    const first = number(1)
    const value = argument(first & 31)
    switch (first >> 5) {
      case 0:
        return value
      case 1:
        return -1 - value
      case 2:
        return take(value)
      case 3:
        return decodeUtf8(take(value)) ?? malformed()
      case 4:
        if (value > MOST_MEMBERS) malformed()
        return Array.from({ length: value }, () => read(depth + 1))
      case 5:
        return readMap(value, depth)
      case 7:
        return value === 20 || value === 21 ? value === 21 : malformed()
      default:
        return malformed()
    }
  }

  function readMap(size: number, depth: number): Map<unknown, unknown> {
    if (size > MOST_MEMBERS) malformed()
    const map = new Map<unknown, unknown>()
    for (let member = 0; member < size; member++) {
      const key = read(depth + 1)
      if (typeof key === 'object' || map.has(key)) malformed()
      map.set(key, read(depth + 1))
    }
    return map
  }

  try {
    const map = read(1)
    return map instanceof Map ? { map, length: at } : null
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}
