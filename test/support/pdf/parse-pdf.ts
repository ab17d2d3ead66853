// Reads the PDF that the project writes, by its cross-reference table, and is strict about it: for tests.

export type Name = { name: string }
export type Reference = { ref: number }
export type Dictionary = { [key: string]: Value }
export type Value = null | boolean | number | string | Uint8Array | Name | Reference | Value[] | { entries: Dictionary }

export type PdfObject = { value: Value; stream: Uint8Array | null }

export type ParsedPdf = {
  objects: Map<number, PdfObject>
  trailer: Dictionary
}

/** Bytes as characters of the same number. */
export const latin1 = (bytes: Uint8Array): string => {
  let text = ''
  for (let from = 0; from < bytes.length; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return text
}

export function parsePdf(bytes: Uint8Array): ParsedPdf {
  const source = latin1(bytes)
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(source)?.[1])
  const table = /^xref\n0 (\d+)\n/.exec(source.slice(start, start + 40))
  if (table === null) throw new Error('startxref leads to no table')
  const size = Number(table[1])
  const objects = new Map<number, PdfObject>()
  const first = start + table[0].length
  for (let number = 1; number < size; number++) {
    const row = source.slice(first + number * 20, first + (number + 1) * 20)
    if (!/^\d{10} 00000 n \n$/.test(row)) throw new Error(`row ${number} of the table is malformed`)
    objects.set(number, parseObject(source, bytes, Number(row.slice(0, 10)), number))
  }
  const trailerAt = first + size * 20
  if (!source.startsWith('trailer\n', trailerAt)) throw new Error('no trailer follows the table')
  const trailer = new Parser(source, trailerAt + 'trailer\n'.length).value()
  return { objects, trailer: entriesOf(trailer) }
}

function parseObject(source: string, bytes: Uint8Array, offset: number, number: number): PdfObject {
  const head = `${number} 0 obj\n`
  if (!source.startsWith(head, offset)) throw new Error(`the table has a wrong offset for object ${number}`)
  const parser = new Parser(source, offset + head.length)
  const value = parser.value()
  if (source.startsWith('stream\n', parser.at)) {
    const from = parser.at + 'stream\n'.length
    const length = Number(entriesOf(value)['Length'])
    if (!source.startsWith('\nendstream\nendobj\n', from + length))
      throw new Error(`the length of stream ${number} is wrong`)
    return { value, stream: bytes.subarray(from, from + length) }
  }
  if (!source.startsWith('\nendobj\n', parser.at)) throw new Error(`object ${number} has more than one value`)
  return { value, stream: null }
}

export function entriesOf(value: Value | undefined): Dictionary {
  const isPlain = value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array)
  if (!isPlain || !('entries' in value)) throw new Error('not a dictionary')
  return value.entries
}

export class Parser {
  readonly #source: string
  at: number

  constructor(source: string, at = 0) {
    this.#source = source
    this.at = at
  }

  get isDone(): boolean {
    this.#skip()
    return this.at >= this.#source.length
  }

  /** A word that is no value: an operator of content. */
  operator(): string | null {
    this.#skip()
    return this.#take(/[A-Za-z]+\*?/y)
  }

  value(): Value {
    this.#skip()
    if (this.#eat('<<')) return { entries: this.#dictionary() }
    if (this.#eat('[')) return this.#list()
    if (this.#eat('(')) return this.#literal()
    if (this.#eat('<')) return this.#hexadecimal()
    if (this.#eat('/')) return { name: this.#take(/[^\s/<>[\]()]+/y) ?? '' }
    const reference = this.#take(/\d+ 0 R(?![A-Za-z])/y)
    if (reference !== null) return { ref: Number.parseInt(reference, 10) }
    const number = this.#take(/-?\d+(?:\.\d+)?/y)
    if (number !== null) return Number(number)
    const word = this.#take(/true|false|null/y)
    if (word !== null) return word === 'null' ? null : word === 'true'
    throw new Error(`no value at ${this.at}: ${this.#source.slice(this.at, this.at + 30)}`)
  }

  #dictionary(): Dictionary {
    const entries: Dictionary = {}
    for (;;) {
      this.#skip()
      if (this.#eat('>>')) return entries
      const key = this.value()
      if (key === null || typeof key !== 'object' || !('name' in key)) throw new Error('a key is no name')
      if (key.name in entries) throw new Error(`two entries named ${key.name}`)
      entries[key.name] = this.value()
    }
  }

  #list(): Value[] {
    const items: Value[] = []
    for (;;) {
      this.#skip()
      if (this.#eat(']')) return items
      items.push(this.value())
    }
  }

  #literal(): string {
    const text = this.#take(/[^()\\]*/y) ?? ''
    if (!this.#eat(')')) throw new Error('a literal string has what the writer escapes nowhere')
    return text
  }

  /** A text of two bytes a character where it begins with a byte order mark, else bytes. */
  #hexadecimal(): string | Uint8Array {
    const digits = this.#take(/[0-9a-fA-F]*/y) ?? ''
    if (!this.#eat('>')) throw new Error('a hexadecimal string does not end')
    const bytes = new Uint8Array(digits.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [])
    if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return bytes
    return new TextDecoder('utf-16be').decode(bytes)
  }

  #skip(): void {
    this.#take(/\s+/y)
  }

  #eat(text: string): boolean {
    if (!this.#source.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#source)
    if (found === null) return null
    this.at += found[0].length
    return found[0]
  }
}
