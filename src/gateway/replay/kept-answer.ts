// An answer as it is kept to be given again: its head in JSON, a line end, and its body as it was sent.
import { z } from 'zod'
import { readJson } from '../../platform/json-object.ts'

const HeadSchema = z.strictObject({
  status: z.int().min(200).max(599),
  /** By names in lower case: what says something of the answer, and nothing of the request that it answered. */
  headers: z.record(z.string(), z.string()),
})

export type AnswerHead = z.infer<typeof HeadSchema>

export type KeptAnswer = AnswerHead & { body: Uint8Array<ArrayBuffer> }

const LF = 10

export function packAnswer({ body, status, headers }: KeptAnswer): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${JSON.stringify({ status, headers })}\n`)
  const packed = new Uint8Array(head.byteLength + body.byteLength)
  packed.set(head)
  packed.set(body, head.byteLength)
  return packed
}

/** Null where that is no answer. */
export function unpackAnswer(packed: Uint8Array<ArrayBuffer>): KeptAnswer | null {
  const end = packed.indexOf(LF)
  if (end === -1) return null
  const head = HeadSchema.safeParse(readJson(new TextDecoder().decode(packed.subarray(0, end)))).data
  return head === undefined ? null : { ...head, body: packed.subarray(end + 1) }
}
