// Bodies of chat requests, and what is read of them.
import { readChatRequest } from '../../../../../src/gateway/operations/chat/read-chat-request.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import { READ_CONTEXT } from '../../../../fixtures/providers/models.ts'

export const user = { role: 'user', content: 'Hello' }
export const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }

export const read = (body: unknown, contentType = 'application/json') =>
  readChatRequest(
    new Headers({ 'content-type': contentType }),
    new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    READ_CONTEXT,
  )

export function refused(body: unknown, contentType?: string): AppError {
  const found = read(body, contentType)
  if (!(found instanceof AppError)) throw new Error('not refused')
  return found
}

/** The error's code and the member it names. */
export function refusal(body: unknown, contentType?: string) {
  const { code, details } = refused(body, contentType)
  return [code, details.param]
}

export function accepted(body: unknown) {
  const found = read(body)
  if (found instanceof AppError) throw new Error(`${found.code}: ${found.message}`)
  return found
}

export const mini = (more: object) => ({ model: 'gpt-4.1-mini', messages: [user], ...more })
export const messages = (...more: unknown[]) => ({ model: 'gpt-4.1-mini', messages: [user, ...more] })
