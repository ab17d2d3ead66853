// Files of lines come in parts that are cut anywhere.
import { describe, expect, it } from 'vitest'
import { linesOf, LongLineError, MOST_LINE_BYTES } from '../../../../src/evidence/verify/file-lines.ts'

async function* partsIn(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

const linesIn = async (...texts: readonly string[]): Promise<string[]> => {
  const parts = partsIn(...texts.map((text) => new TextEncoder().encode(text)))
  return (await Array.fromAsync(linesOf(parts))).map((line) => new TextDecoder().decode(line))
}

describe('the lines of a file', () => {
  it('are whole however the file is cut', async () => {
    for (const texts of [
      ['one\n\ntwo\nthree'],
      ['o', 'n', '', 'e\n', '\ntw', 'o\nthr', 'ee'],
      ['one\n\n', 'two\nthree'],
    ]) {
      expect(await linesIn(...texts)).toEqual(['one', '', 'two', 'three'])
    }
    expect(await linesIn('one\n')).toEqual(['one'])
    expect(await linesIn('')).toEqual([])
  })

  it('may be as long as the limit, in thousands of parts, and no longer', { timeout: 5_000 }, async () => {
    const part = new Uint8Array(4096).fill(0x20)
    const parts = Array<Uint8Array>(MOST_LINE_BYTES / part.length).fill(part)
    // Takes longer than the time limit if each part copies all parts before it.
    const lines = await Array.fromAsync(linesOf(partsIn(...parts, Uint8Array.of(0x0a), part)))
    expect(lines.map((line) => line.length)).toEqual([MOST_LINE_BYTES, part.length])
    const longer = linesOf(partsIn(...parts, part.subarray(0, 1)))
    await expect(Array.fromAsync(longer)).rejects.toThrow(LongLineError)
  })
})
