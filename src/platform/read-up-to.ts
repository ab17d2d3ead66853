// Reads the body of somebody else's answer, as long as it is no longer than such an answer has to be.

/** Null where there is more; the rest is not read. */
export async function readUpTo(mostBytes: number, response: Response): Promise<Uint8Array | null> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  const read = new Uint8Array(mostBytes)
  let length = 0
  for (;;) {
    const part = await reader?.read()
    if (part?.value === undefined) return read.subarray(0, length)
    if (length + part.value.length > mostBytes) {
      await reader?.cancel()
      return null
    }
    read.set(part.value, length)
    length += part.value.length
  }
}
