// Reads DER (ITU-T X.690), the strict form of ASN.1 in certificates and timestamp tokens. Each length is explicit and as short as
// possible.
import { bytesToHex } from '@noble/hashes/utils.js'

/** Thrown if the bytes are no DER, or not the expected value. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Tags [0] to [3] wrap other values. */
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const

export type DerValue = {
  readonly tag: number
  readonly content: Uint8Array
  /** Includes tag and length. */
  readonly encoded: Uint8Array
}

/** All methods throw DerError. */
export class DerReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  next(): DerValue {
    const start = this.#at
    const tag = this.#byte()
    // No value in certificates or timestamp tokens has a tag of more than one byte.
    if ((tag & 0x1f) === 0x1f) throw new DerError('a long tag')
    const length = this.#length()
    const end = this.#at + length
    if (end > this.#bytes.length) throw new DerError('cut short')
    const content = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return { tag, content, encoded: this.#bytes.subarray(start, end) }
  }

  value(tag: number): DerValue {
    const value = this.next()
    if (value.tag !== tag) throw new DerError('another tag')
    return value
  }

  /** Returns null if the next value has another tag, or at the end. */
  valueIf(tag: number): DerValue | null {
    return this.#bytes[this.#at] === tag ? this.next() : null
  }

  /** Opens the next value to read its content. */
  open(tag: number): DerReader {
    return new DerReader(this.value(tag).content)
  }

  openIf(tag: number): DerReader | null {
    const value = this.valueIf(tag)
    return value && new DerReader(value.content)
  }

  /** Returns the identifier in hexadecimal digits. */
  objectId(): string {
    return bytesToHex(this.value(TAG.objectId).content)
  }

  end(): void {
    if (!this.isAtEnd) throw new DerError('more than was expected')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DerError('cut short')
    this.#at += 1
    return byte
  }

  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    const count = first & 0x7f
    // Zero bytes mean an indefinite length. No value here needs more than three.
    if (count === 0 || count > 3) throw new DerError('a length that is not DER')
    let length = 0
    for (let read = 0; read < count; read += 1) length = length * 256 + this.#byte()
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length that is not DER')
    return length
  }
}

/** Returns all values within a constructed value. */
export function derValues(content: Uint8Array): DerValue[] {
  const reader = new DerReader(content)
  const values: DerValue[] = []
  while (!reader.isAtEnd) values.push(reader.next())
  return values
}

/** Opens the only value in the bytes, to read its content. Throws DerError if more bytes follow. */
export function openDerValue(bytes: Uint8Array, tag: number): DerReader {
  const outer = new DerReader(bytes)
  const inner = outer.open(tag)
  outer.end()
  return inner
}

/** Reads a GeneralizedTime or a UTCTime (RFC 5280), with a fraction if any (RFC 3161), to milliseconds since the epoch. */
export function derTime({ tag, content }: DerValue): number {
  const written = new TextDecoder().decode(content)
  const text = tag === TAG.utcTime ? `${Number(written.slice(0, 2)) < 50 ? '20' : '19'}${written}` : written
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d*[1-9])?Z$/.exec(text)
  if (parts === null || (tag !== TAG.utcTime && tag !== TAG.generalizedTime)) throw new DerError('no time')
  const [, year, month, day, hour, minute, second, fraction = ''] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = Date.parse(`${iso}Z`)
  // `Date` would move a day that its month does not have into the next month.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(iso)) throw new DerError('no time')
  return time + Math.floor(Number(`0${fraction}`) * 1000)
}
