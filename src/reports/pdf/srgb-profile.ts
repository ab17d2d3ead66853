// The colour space of a file: sRGB (IEC 61966-2-1) as an ICC profile, version 4, white adapted to D50.
import { concatBytes } from '@noble/hashes/utils.js'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

function unsigned32(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value)
  return new Uint8Array(view.buffer)
}

/** Numbers with sixteen bits after the point. */
const fixed = (...values: number[]): Uint8Array =>
  unsigned32(...values.map((value) => Math.round(value * 65_536) >>> 0))

const D50 = [0.9642, 1, 0.8249]

const xyz = (...values: number[]): Uint8Array => concatBytes(ascii('XYZ '), unsigned32(0), fixed(...values))

function unicode(text: string): Uint8Array {
  const utf16 = new Uint8Array(Array.from(text, (character) => [0, character.charCodeAt(0)]).flat())
  // One name, in English of the United States; its header has 28 bytes.
  return concatBytes(ascii('mluc'), unsigned32(0, 1, 12), ascii('enUS'), unsigned32(utf16.length, 28), utf16)
}

/** The curve of sRGB: a line near black, else a power of 2.4. */
const CURVE = concatBytes(
  ascii('para'),
  unsigned32(0, 3 << 16),
  fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045),
)

const ADAPTATION = concatBytes(
  ascii('sf32'),
  unsigned32(0),
  fixed(1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168),
)

export function srgbProfile(): Uint8Array {
  const tags: [name: string, data: Uint8Array][] = [
    ['desc', unicode('sRGB')],
    ['cprt', unicode('No copyright')],
    ['wtpt', xyz(...D50)],
    ['chad', ADAPTATION],
    ['rXYZ', xyz(0.43607, 0.22249, 0.01392)],
    ['gXYZ', xyz(0.38515, 0.71687, 0.09708)],
    ['bXYZ', xyz(0.14307, 0.06061, 0.7141)],
    ['rTRC', CURVE],
    ['gTRC', CURVE],
    ['bTRC', CURVE],
  ]
  const rows: Uint8Array[] = []
  const blocks: Uint8Array[] = []
  let at = 128 + 4 + tags.length * 12
  for (const [name, data] of tags) {
    const padded = new Uint8Array(Math.ceil(data.length / 4) * 4)
    padded.set(data)
    rows.push(ascii(name), unsigned32(at, data.length))
    blocks.push(padded)
    at += padded.length
  }
  return concatBytes(profileHeader(at), unsigned32(tags.length), ...rows, ...blocks)
}

function profileHeader(size: number): Uint8Array {
  const header = new Uint8Array(128)
  const put = (at: number, part: Uint8Array): void => header.set(part, at)
  put(0, unsigned32(size))
  put(8, unsigned32(0x04200000))
  put(12, ascii('mntrRGB XYZ '))
  // The profile has a fixed date, because the file's bytes may not depend on the day.
  put(24, new Uint8Array([0x07, 0xea, 0, 1, 0, 1]))
  put(36, ascii('acsp'))
  put(68, fixed(...D50))
  return header
}
