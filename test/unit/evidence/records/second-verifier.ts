// A second verifier of ATTESTATION-v1, written from the description of the format with native cryptography only. It
// shares nothing with the one under test but the names of the faults.
import type { RecordFault } from '../../../../src/evidence/records/attestation-record.ts'

export type Verdict = 'valid' | 'unreadable' | RecordFault

type Members = Map<string, unknown>

/** The outermost object, and how each of its values was written. */
type Document = { members: Members; texts: ReadonlyMap<string, string> }

/** `keys`: the pinned ones, or null for integrity only. */
export async function judge(bytes: Uint8Array, keys: readonly string[] | null): Promise<Verdict> {
  const document = read(bytes)
  return document === null ? 'unreadable' : judgeMembers(document, keys)
}

async function judgeMembers({ members: record, texts }: Document, keys: readonly string[] | null): Promise<Verdict> {
  const names =
    'v attestation_id trace_id org_id request_hash model outcome policy_applied cost_prevented_eur timestamp public_key signature'
  const known = names.split(' ')
  if (known.some((name) => !record.has(name))) return 'missing_member'
  if (record.size > known.length) return 'unknown_member'
  if (texts.get('v') !== '1') return 'unsupported_version'
  const outcome = record.get('outcome')
  if (typeof outcome !== 'string') return 'outcome_not_a_string'
  if (!['ALLOWED', 'BLOCKED', 'SUPPRESSED', 'PASSED'].includes(outcome)) return 'unknown_outcome'
  const policies = record.get('policy_applied')
  if (!Array.isArray(policies)) return 'policies_not_an_array'
  if (!policies.every((policy) => typeof policy === 'string')) return 'policies_not_strings'
  if (policies.some((policy, at) => at > 0 && compareUnits(policies[at - 1] ?? '', policy) > 0)) {
    return 'policies_not_sorted'
  }
  if (!isLowerHex(record.get('request_hash'), 64)) return 'request_hash_malformed'
  const cost = record.get('cost_prevented_eur')
  if (typeof cost !== 'number' || cost === Infinity || cost === -Infinity) return 'cost_not_a_number'
  if (cost < 0) return 'cost_negative'
  if (!isTimestamp(record.get('timestamp'))) return 'timestamp_malformed'
  const publicKey = record.get('public_key')
  if (keys?.length === 0) return 'no_trusted_key'
  if (keys !== null && !keys.some((key) => key === publicKey)) return 'key_not_trusted'
  const signed = canonical(new Map([...record].filter(([name]) => name !== 'signature')))
  if (signed === null) return 'not_canonicalisable'
  const signature = base64urlBytes(record.get('signature'))
  if (signature?.length !== 64) return 'signature_malformed'
  const key = base64urlBytes(publicKey)
  if (key?.length !== 32) return 'public_key_malformed'
  const isGood = await verifyNatively(key, signature, new TextEncoder().encode(signed))
  return isGood ? 'valid' : 'signature_mismatch'
}

/** The points of small order (RFC 7748, section 6.1, says why to refuse them); the native verifier takes them. */
const SMALL_ORDER = new Set([
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
])

async function verifyNatively(key: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>, message: Uint8Array) {
  if (SMALL_ORDER.has([...key].map((byte) => byte.toString(16).padStart(2, '0')).join(''))) return false
  try {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', imported, signature, Uint8Array.from(message))
  } catch {
    return false
  }
}

function compareUnits(first: string, second: string): number {
  for (let at = 0; at < Math.min(first.length, second.length); at += 1) {
    if (first.charCodeAt(at) !== second.charCodeAt(at)) return first.charCodeAt(at) - second.charCodeAt(at)
  }
  return first.length - second.length
}

function isLowerHex(value: unknown, length: number): boolean {
  return (
    typeof value === 'string' &&
    value.length === length &&
    value.split('').every((digit) => '0123456789abcdef'.includes(digit))
  )
}

/** By position instead of by pattern. */
function isTimestamp(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const number = (from: number, to: number, least: number, most: number) => {
    const digits = value.slice(from, to)
    if (digits.length !== to - from || digits.split('').some((digit) => !'0123456789'.includes(digit))) return false
    return Number(digits) >= least && Number(digits) <= most
  }
  const isClock =
    number(0, 4, 0, 9999) &&
    number(5, 7, 1, 12) &&
    number(8, 10, 1, 31) &&
    number(11, 13, 0, 23) &&
    number(14, 16, 0, 59) &&
    number(17, 19, 0, 60)
  if (!isClock || value[4] !== '-' || value[7] !== '-' || value[13] !== ':' || value[16] !== ':') return false
  if (!['T', 't', ' '].includes(value[10] ?? '')) return false
  let at = 19
  if (value[at] === '.') {
    at += 1
    const first = at
    while (number(at, at + 1, 0, 9)) at += 1
    if (at === first) return false
  }
  if (value[at] === 'Z' || value[at] === 'z') return value.length === at + 1
  const hasSign = value[at] === '+' || value[at] === '-'
  return (
    hasSign &&
    number(at + 1, at + 3, 0, 23) &&
    value[at + 3] === ':' &&
    number(at + 4, at + 6, 0, 59) &&
    value.length === at + 6
  )
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function base64urlBytes(text: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof text !== 'string' || text.length % 4 === 1) return null
  const bytes: number[] = []
  let bits = 0
  let pending = 0
  for (const character of text) {
    const value = ALPHABET.indexOf(character)
    if (value === -1) return null
    pending = ((pending << 6) | value) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes.push((pending >> bits) & 0xff)
    }
  }
  return Uint8Array.from(bytes)
}

/** Null where a value has no canonical JSON. */
export function canonical(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value === 0 ? 0 : value) : null
  if (typeof value === 'string') return canonicalString(value)
  const isArray = Array.isArray(value)
  const parts: string[] = []
  const entries = isArray ? value.map((item: unknown): [string, unknown] => ['', item]) : [...(value as Members)]
  if (!isArray) entries.sort(([first], [second]) => compareUnits(first, second))
  for (const [name, member] of entries) {
    const [nameText, memberText] = [canonicalString(name), canonical(member)]
    if (nameText === null || memberText === null) return null
    parts.push(isArray ? memberText : `${nameText}:${memberText}`)
  }
  return isArray ? `[${parts.join()}]` : `{${parts.join()}}`
}

const SHORT_ESCAPES: Record<string, string> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

function canonicalString(text: string): string | null {
  let printed = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xd800 && code <= 0xdfff) return null
    if (character in SHORT_ESCAPES) printed += SHORT_ESCAPES[character]
    else if (code < 0x20) printed += String.raw`\u${code.toString(16).padStart(4, '0')}`
    else printed += character
  }
  return `"${printed}"`
}

/** Null for what is not exactly one object. Objects are maps, so that no name is special. */
function read(bytes: Uint8Array): Document | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const reader = new Reader(text)
    const value = reader.value(1)
    reader.end()
    return value instanceof Map ? { members: value as Members, texts: reader.texts } : null
  } catch {
    return null
  }
}

class Reader {
  readonly texts = new Map<string, string>()
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): unknown {
    this.#skipSpace()
    const next = this.#text[this.#at]
    if (next === '{' || next === '[') {
      if (depth > 500) throw new SyntaxError('too deep')
      return next === '{' ? this.#object(depth) : this.#array(depth)
    }
    if (next === '"') return this.#string()
    for (const [word, meaning] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return meaning
      }
    }
    return this.#number()
  }

  end(): void {
    this.#skipSpace()
    if (this.#at !== this.#text.length) throw new SyntaxError('more than one value')
  }

  #object(depth: number): Members {
    const members: Members = new Map()
    this.#take('{')
    if (this.#isNext('}')) return members
    do {
      this.#skipSpace()
      const name = this.#string()
      if (members.has(name)) throw new SyntaxError('a name twice')
      this.#take(':')
      this.#skipSpace()
      const start = this.#at
      members.set(name, this.value(depth + 1))
      if (depth === 1) this.texts.set(name, this.#text.slice(start, this.#at))
    } while (this.#isNext(','))
    this.#take('}')
    return members
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = []
    this.#take('[')
    if (this.#isNext(']')) return items
    do items.push(this.value(depth + 1))
    while (this.#isNext(','))
    this.#take(']')
    return items
  }

  #string(): string {
    const start = this.#at
    this.#take('"')
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length || this.#text.charCodeAt(this.#at) < 0x20) throw new SyntaxError('bad string')
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    }
    this.#at += 1
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  #number(): number {
    const [text] = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/.exec(this.#text.slice(this.#at)) ?? ['']
    if (text === '') throw new SyntaxError('not a value')
    this.#at += text.length
    return Number(text)
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && ' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1
  }

  #isNext(character: string): boolean {
    this.#skipSpace()
    const isNext = this.#text[this.#at] === character
    if (isNext) this.#at += 1
    return isNext
  }

  #take(character: string): void {
    if (!this.#isNext(character)) throw new SyntaxError(`no ${character}`)
  }
}
