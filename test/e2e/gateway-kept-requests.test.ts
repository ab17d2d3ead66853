// Checks what stays in memory of a request that waits, perhaps for minutes: nothing that its caller wrote. Measures in the
// engine that the Worker runs in, because a closure keeps more than it shows.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { CallOperation } from '../../src/gateway/call/call-operation.ts'
import { chatOperation } from '../../src/gateway/operations/chat/operation.ts'
import { responsesOperation } from '../../src/gateway/operations/responses/operation.ts'
import { READ_CONTEXT } from '../fixtures/providers/models.ts'
import { AppError } from '../../src/platform/errors.ts'

const REQUESTS = 20
const CHARACTERS = 1_000_000

setFlagsFromString('--expose-gc')
const collectGarbage = (): void => void runInNewContext('gc()')

/** A picture that no other is like. */
const picture = (at: number): string => `data:image/png;base64,${String.fromCharCode(65 + at).repeat(CHARACTERS)}`

const chat = (at: number): object => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: picture(at) } }] }],
  tools: [{ type: 'function', function: { name: 'look' } }],
})

const functions = (at: number): object => ({ ...chat(at), tools: undefined, functions: [{ name: 'look' }] })

const responses = (at: number): object => ({
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: picture(at) }] }],
  tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false }],
})

function keptOf({ read: readCall }: CallOperation, body: object): object {
  const bytes = new TextEncoder().encode(JSON.stringify({ model: 'gpt-4.1-mini', ...body }))
  const read = readCall(new Headers({ 'content-type': 'application/json' }), bytes, READ_CONTEXT)
  if (read instanceof AppError) throw read
  return { format: read.format, outline: read.outline }
}

it.each<[string, CallOperation, (at: number) => object]>([
  ['a chat completion', chatOperation, chat],
  ['a chat completion with functions', chatOperation, functions],
  ['a response', responsesOperation, responses],
])('of %s not even a part stays in reach', (_, operation, body) => {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const kept = Array.from({ length: REQUESTS }, (_unused, at) => keptOf(operation, body(at)))
  collectGarbage()
  const bytes = process.memoryUsage().heapUsed - before
  expect(kept).toHaveLength(REQUESTS)
  expect(bytes).toBeLessThan((REQUESTS * CHARACTERS) / 4)
})
