// Writes a PDF file: numbered objects, the table of their offsets, and a trailer. Also writes numbers, texts and dates in PDF syntax,
// and parses colours. Nothing is compressed here, so that the bytes do not depend on a runtime's compressor.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/** The number of an object, counted from 1. Other objects refer to it as `NUMBER 0 R`. */
export type Ref = number

/** A piece of an object. A string must be ASCII. */
export type Part = string | Uint8Array

// The second line marks the file as binary.
const HEADER = new Uint8Array([...new TextEncoder().encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 0x0a])

/** Collects parts of objects. Only `finish` turns them into bytes, because an object may be written after one that refers to it. */
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

  /**
   * Returns the file. `root`: the document catalogue. `info`: the dictionary with title and author.
   * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.5)
   */
  finish({ root, info }: { root: Ref; info: Ref }): Uint8Array {
    const body: Uint8Array[] = [HEADER]
    const offsets: number[] = []
    let length = HEADER.length
    const append = (part: Part): void => {
      const bytes = typeof part === 'string' ? ascii(part) : part
      body.push(bytes)
      length += bytes.length
    }
    for (const [index, parts] of this.#objects.entries()) {
      if (parts.length === 0) throw new Error(`object ${index + 1} was reserved and never written`)
      offsets.push(length)
      append(`${index + 1} 0 obj\n`)
      for (const part of parts) append(part)
      append('\nendobj\n')
    }
    const written = concatBytes(...body)
    // The identifier is a hash and not random, so that the same report has the same bytes.
    const id = bytesToHex(sha256(written).subarray(0, 16))
    const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
    const size = offsets.length + 1
    const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
    const trailer = `trailer\n<</Size ${size}/Root ${root} 0 R/Info ${info} 0 R/ID[<${id}><${id}>]>>\n`
    return concatBytes(written, ascii(`${table}${trailer}startxref\n${length}\n%%EOF\n`))
  }
}

/** Throws for any other character: it has several bytes, but its string counts it once. */
function ascii(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length !== text.length) throw new Error('a string of the file is not ASCII')
  return bytes
}

/** Rounds to a hundredth of a point, which is finer than a printer. */
export const formatNumber = (value: number): string => String(Math.round(value * 100) / 100)

export const formatNumbers = (...values: number[]): string => values.map(formatNumber).join(' ')

/**
 * Returns a text string for dictionaries: UTF-16 as hexadecimal digits. The text on a page is glyphs instead.
 * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.9.2)
 */
export function textString(value: string): string {
  let hex = 'FEFF'
  for (let index = 0; index < value.length; index++) hex += value.charCodeAt(index).toString(16).padStart(4, '0')
  return `<${hex}>`
}

/**
 * Converts a moment in UTC, such as `2026-11-21T15:00:00Z`, to a date for dictionaries, such as `D:20261121150000Z`.
 * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (7.9.4)
 */
export const dateString = (at: string): string => `(D:${at.slice(0, 19).replaceAll(/[-:T]/g, '')}Z)`

export type Colour = readonly [red: number, green: number, blue: number]

/** Parses a colour as style sheets write it. */
export function parseColour(hex: string): Colour {
  const part = (from: number): number => Number.parseInt(hex.slice(from, from + 2), 16) / 255
  return [part(1), part(3), part(5)]
}
