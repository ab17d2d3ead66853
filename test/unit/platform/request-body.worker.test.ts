// Reading a body as far as there is room for it, its size told beforehand or not; and what it must be to be read as JSON.
import { describe, expect, it, vi } from 'vitest'
import { parseJsonObject, readWithReservedMemory } from '../../../src/platform/request-body.ts'
import { AppError } from '../../../src/platform/errors.ts'

const MIB = 1024 * 1024
/** The runtime joins smaller pieces to such. */
const PIECE = 16 * 1024

/** A request whose body comes in these pieces, and how many of them were taken. */
function arriving(pieces: readonly Uint8Array[], headers: Record<string, string> = {}) {
  let taken = 0
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const piece = pieces[taken++]
      if (piece !== undefined) return controller.enqueue(piece.slice())
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
  return { request: new Request('http://countersign.test/', { method: 'POST', headers, body }), taken: () => taken }
}

const pieces = (count: number, bytes: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => new Uint8Array(bytes).fill(index))

/** Room up to a size, and every size it was asked for. */
function roomOf(bytes: number) {
  const asked: number[] = []
  return { asked, reserve: (size: number) => asked.push(size) > 0 && size <= bytes }
}

describe('a body of a size told beforehand', () => {
  const told = (bytes: number) => arriving(pieces(bytes / 10, 10), { 'content-length': String(bytes) })

  it('is read whole where there is room, asked for once and before anything is read', async () => {
    const { request } = told(30)
    const { asked, reserve } = roomOf(30)
    const read = await readWithReservedMemory(request, 100, reserve)
    expect(read).toEqual(Uint8Array.from({ length: 30 }, (_, index) => Math.floor(index / 10)))
    expect(asked).toEqual([30])
  })

  it('is thrown away where there is none, so that its sender can hear of it', async () => {
    const { request, taken } = told(30)
    expect(await readWithReservedMemory(request, 100, () => false)).toBe('no_room')
    expect(taken()).toBe(4)
  })

  it('over the limit is too large: no room is asked for, and it is not read', async () => {
    const { request } = told(110)
    const { asked, reserve } = roomOf(1_000)
    expect(await readWithReservedMemory(request, 100, reserve)).toBe('too_large')
    expect(asked).toEqual([])
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a body of unknown size', () => {
  it.each(['', 'x', '-1', '1e1'])('is what comes with the length %o', async (length) => {
    const { request } = arriving(pieces(2, PIECE), { 'content-length': length })
    const { asked, reserve } = roomOf(2 * PIECE)
    await readWithReservedMemory(request, 2 * PIECE, reserve)
    expect(asked).toEqual([PIECE, 2 * PIECE])
  })

  it('asks for room as it grows, by 16 KiB however small its pieces are', async () => {
    const { request } = arriving(pieces(40_000, 1))
    const { asked, reserve } = roomOf(MIB)
    const read = await readWithReservedMemory(request, MIB, reserve)
    expect(read).toEqual(Uint8Array.from({ length: 40_000 }, (_, index) => index))
    expect(asked).toEqual([PIECE, 2 * PIECE, 40_000])
  })

  it('is thrown away from where there is none, and room is not asked for again', async () => {
    const { request, taken } = arriving(pieces(5, PIECE))
    const { asked, reserve } = roomOf(2 * PIECE)
    expect(await readWithReservedMemory(request, MIB, reserve)).toBe('no_room')
    expect(asked).toEqual([PIECE, 2 * PIECE, 3 * PIECE])
    expect(taken()).toBe(6)
  })

  it('over the limit is too large, whether or not there was room', async () => {
    for (const room of [20, 1_000]) {
      const { request } = arriving(pieces(11, 10))
      const { asked, reserve } = roomOf(room)
      expect(await readWithReservedMemory(request, 100, reserve)).toBe('too_large')
      expect(Math.max(...asked)).toBeLessThanOrEqual(100)
    }
  })

  it('is read no further than 1 MiB over the limit', async () => {
    const { request, taken } = arriving(pieces(40, MIB / 8))
    expect(await readWithReservedMemory(request, 100, () => true)).toBe('too_large')
    expect(taken()).toBeLessThan(12)
  })

  it('and of nothing is empty', async () => {
    const request = new Request('http://countersign.test/', { method: 'POST' })
    expect(await readWithReservedMemory(request, 100, () => true)).toEqual(new Uint8Array(0))
  })
})

describe('a body that is cut off', () => {
  it.each([{}, { 'content-length': '30' }])('is its sender’s fault, not ours (%o)', async (headers) => {
    for (const hasRoom of [true, false]) {
      const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) })
      const request = new Request('http://countersign.test/', { method: 'POST', headers, body })
      const reading = readWithReservedMemory(request, 100, () => hasRoom)
      await expect(reading).rejects.toMatchObject({ name: 'AppError', code: 'invalid_request' })
    }
  })
})

describe('a JSON body', () => {
  const encoder = new TextEncoder()
  const json = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    parseJsonObject(
      new Headers({ 'content-type': 'application/json', ...headers }),
      typeof body === 'string' ? encoder.encode(body) : body,
    )
  const refusal = (...sent: Parameters<typeof json>) => {
    const found = json(...sent)
    return found instanceof AppError ? [found.code, found.message] : found
  }

  it('is one object', () => {
    expect(json('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] })
  })

  it.each(['gzip', 'br', 'deflate, gzip', 'x'])('sent as %s is not read, and says why', (encoding) => {
    const compressed = ['unsupported_media_type', expect.stringMatching(/^The body is compressed\./)]
    expect(refusal('{"a":1}', { 'content-encoding': encoding })).toEqual(compressed)
  })

  it.each(['identity', 'Identity', ''])('that says it is not compressed (%o) is read', (encoding) => {
    expect(json('{"a":1}', { 'content-encoding': encoding })).toEqual({ a: 1 })
  })

  it.each(['', ' \r\n\t '])('of nothing (%j) is empty, whatever its type', (body) => {
    expect(refusal(body)).toEqual(['invalid_request', expect.stringMatching(/^The body is empty\./)])
  })

  it('of no bytes and no type is empty, not of a wrong type', () => {
    const found = parseJsonObject(new Headers(), new Uint8Array(0))
    expect(found).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The body is empty/) as string,
    })
  })

  it.each([
    ['UTF-8', Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    ['UTF-16, the low byte first', Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0)],
    ['UTF-16, the high byte first', Uint8Array.of(0xfe, 0xff, 0, 0x7b, 0, 0x7d)],
  ])('with the byte-order mark of %s says so', (_, bytes) => {
    expect(refusal(bytes)).toEqual(['invalid_request', expect.stringContaining('byte-order mark')])
  })

  it('that names a member twice says which, where its name is a plain word', () => {
    expect(refusal('{"a":{"colour":1,"colour":2}}')).toEqual([
      'invalid_request',
      expect.stringMatching(/^The body names a member twice \(colour\)/),
    ])
    const found = json('{"Dear Dr Zebra":1,"Dear Dr Zebra":2}')
    expect(found).toMatchObject({ message: expect.stringMatching(/^The body names a member twice\./) as string })
    expect(JSON.stringify(found)).not.toContain('Zebra')
  })

  it('may be nested 100 levels deep and no deeper', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(json(nested(100))).toHaveProperty('a.a.a')
    expect(refusal(nested(101))).toEqual(['invalid_request', expect.stringContaining('more than 100 levels deep')])
    expect(refusal('['.repeat(1_000_000))).toEqual(['invalid_request', expect.stringContaining('100 levels deep')])
  })

  it('may have 50,000 members and entries, and is not built where it has more', () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`
    const parse = vi.spyOn(JSON, 'parse')
    expect(json(members(50_000))).toHaveProperty('k49999', 1)
    expect(parse).toHaveBeenCalled()
    parse.mockClear()
    expect(refusal(members(200_000))).toEqual(['invalid_request', expect.stringContaining('more than 50,000 members')])
    expect(refusal(`{"a":[${'1,'.repeat(50_000)}1]}`)).toEqual(['invalid_request', expect.stringContaining('50,000')])
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })
})
