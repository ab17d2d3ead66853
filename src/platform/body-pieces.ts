// Reads the body of a request, or of another service's response, in pieces of a good size.

/** The size of a piece that is read at once. */
const PIECE_BYTES = 16 * 1024

/** The runtime's types lack `min`. @see https://streams.spec.whatwg.org/#byob-reader-read */
type PieceReader = {
  read(
    view: Uint8Array<ArrayBuffer>,
    options: { min: number },
  ): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel(): Promise<void>
}

/**
 * Yields a body in pieces of 16 KiB; the last is shorter. The runtime joins smaller chunks, because a sender can make any number of
 * them and each read costs time. So it is not for bytes that must be passed on as they come. An early end of the loop cancels the
 * body.
 */
export async function* piecesOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reader: PieceReader | undefined = body?.getReader({ mode: 'byob' })
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(PIECE_BYTES), { min: PIECE_BYTES })
      if (value !== undefined && value.byteLength > 0) yield value
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Reads a response of another service. Returns null and stops reading if it is longer than `mostBytes`. */
export async function readUpTo(mostBytes: number, { body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const read = new Uint8Array(mostBytes)
  let length = 0
  for await (const piece of piecesOf(body)) {
    if (length + piece.byteLength > mostBytes) return null
    read.set(piece, length)
    length += piece.byteLength
  }
  return read.subarray(0, length)
}
