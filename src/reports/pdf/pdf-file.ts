// Writes a PDF file: numbered objects, their offsets, and a hash of them as its identifier. Also writes numbers, texts and dates in
// PDF syntax, and parses colours. Nothing is compressed here, so that the bytes do not depend on a runtime's compressor.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/** The number that refers to an object. */
export type Ref = number

export type Part = string | Uint8Array

// The second line marks the file as binary.
const HEADER = new Uint8Array([...new TextEncoder().encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 0x0a])

export class PdfFile {
  readonly #objects: Part[][] = []

  add(...parts: Part[]): Ref {
    return this.#objects.push(parts)
  }

  /** Returns a number for an object that is written later. */
  reserve(): Ref {
    return this.#objects.push([])
  }

  write(ref: Ref, ...parts: Part[]): void {
    this.#objects[ref - 1] = parts
  }

  /** @param entries further entries of the stream's dictionary, besides its length */
  addStream(entries: string, content: Part): Ref {
    return this.add(`<<${entries}/Length ${content.length}>>stream\n`, content, '\nendstream')
  }

  /** @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.5) */
  finish({ root, info }: { root: Ref; info: Ref }): Uint8Array {
    const encoder = new TextEncoder()
    const body: Uint8Array[] = [HEADER]
    const offsets: number[] = []
    let length = HEADER.length
    let waiting = ''
    const flush = (): void => {
      body.push(encoder.encode(waiting))
      waiting = ''
    }
    const put = (part: Part): void => {
      length += part.length
      if (typeof part === 'string') waiting += part
      else {
        flush()
        body.push(part)
      }
    }
    for (const [index, parts] of this.#objects.entries()) {
      if (parts.length === 0) throw new Error(`object ${index + 1} was reserved and never written`)
      offsets.push(length)
      put(`${index + 1} 0 obj\n`)
      for (const part of parts) put(part)
      put('\nendobj\n')
    }
    flush()
    const written = concatBytes(...body)
    // A non-ASCII character in a string would make every later offset wrong.
    if (written.length !== length) throw new Error('a string of the file is not ASCII')
    const id = bytesToHex(sha256(written).subarray(0, 16))
    const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
    const size = offsets.length + 1
    const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
    const trailer = `trailer\n<</Size ${size}/Root ${root} 0 R/Info ${info} 0 R/ID[<${id}><${id}>]>>\n`
    return concatBytes(written, encoder.encode(`${table}${trailer}startxref\n${length}\n%%EOF\n`))
  }
}

/** Rounds to a hundredth of a point, which is finer than a printer. */
export const number = (value: number): string => String(Math.round(value * 100) / 100)

export const numbers = (...values: number[]): string => values.map(number).join(' ')

/**
 * Returns a text string for dictionaries. The text on a page is glyphs instead.
 * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.9.2)
 */
export function text(value: string): string {
  let hex = 'FEFF'
  for (let index = 0; index < value.length; index++) hex += value.charCodeAt(index).toString(16).padStart(4, '0')
  return `<${hex}>`
}

/**
 * Converts a moment in UTC, such as `2026-11-21T15:00:00Z`, to a date for dictionaries, such as `D:20261121150000Z`.
 * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.9.4)
 */
export const date = (at: string): string => `(D:${at.slice(0, 19).replaceAll(/[-:T]/g, '')}Z)`

export type Colour = readonly [red: number, green: number, blue: number]

/** Parses a colour as style sheets write it. */
export function colour(hex: string): Colour {
  const part = (from: number): number => Number.parseInt(hex.slice(from, from + 2), 16) / 255
  return [part(1), part(3), part(5)]
}
