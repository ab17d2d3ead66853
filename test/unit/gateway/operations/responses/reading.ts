// Reads a Responses request as the route does.
import { readResponsesRequest } from '../../../../../src/gateway/operations/responses/read-responses-request.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import { READ_CONTEXT } from '../../../../fixtures/providers/models.ts'

export function read(body: object, model = 'gpt-4.1-mini') {
  const bytes = new TextEncoder().encode(JSON.stringify({ model, input: 'Hello', ...body }))
  return readResponsesRequest(new Headers({ 'content-type': 'application/json' }), bytes, READ_CONTEXT)
}

export function accepted(body: object, model?: string) {
  const found = read(body, model)
  if (found instanceof AppError) throw new Error(`${found.code}: ${found.message}`)
  return found
}

/** The member that a refusal names, and its words. */
export function refusal(body: object, model?: string): { code: string; param: string | null; message: string } {
  const found = read(body, model)
  if (!(found instanceof AppError)) throw new Error('not refused')
  return { code: found.code, param: found.details.param ?? null, message: found.message }
}

export const user = { role: 'user', content: 'Hello' }
export const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{}',
  ...more,
})
export const output = (id: string, said: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id: id,
  output: said,
})
export const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
