// Reads a Messages request as the route does, and encodes it for a route of its model.
import { readMessagesRequest } from '../../../../../src/gateway/operations/messages/read-messages-request.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import type { EndpointId } from '../../../../../src/providers/provider-registry.ts'
import { encodeRequest } from '../../../../../src/providers/model-support.policy.ts'
import type { Model } from '../../../../../src/providers/model-catalogue.ts'
import type { CallInput } from '../../../../../src/gateway/call/prepare-call.ts'
import { READ_CONTEXT } from '../../../../fixtures/providers/models.ts'

export const JSON_BODY = { 'content-type': 'application/json' }

export function readText(text: string, headers: Record<string, string> = {}) {
  const bytes = new TextEncoder().encode(text)
  return readMessagesRequest(new Headers({ ...JSON_BODY, ...headers }), bytes, READ_CONTEXT)
}

export const read = (body: object, model = 'claude-opus-5', headers: Record<string, string> = {}) =>
  readText(JSON.stringify({ model, max_tokens: 64, messages: [user], ...body }), headers)

export function accepted(...request: Parameters<typeof read>): CallInput {
  const found = read(...request)
  if (found instanceof AppError) throw new Error(`${found.code}: ${found.message}`)
  return found
}

/** The member that a refusal names, and its words. */
export function refusal(...request: Parameters<typeof read>): { param: string | null; message: string } {
  const found = read(...request)
  if (!(found instanceof AppError)) throw new Error('not refused')
  return { param: found.details.param ?? null, message: found.message }
}

/** What a route's provider is sent. */
export function sentBy({ request, outline }: CallInput, endpoint?: EndpointId) {
  const route = outline.routes.find(({ model }) => endpoint === undefined || model.endpoint === endpoint)
  if (route === undefined) throw new Error('no such route')
  return encoded(request, route.model)
}

function encoded(request: CallInput['request'], model: Model) {
  const sent = encodeRequest(request, model)
  if (!sent.ok) throw new Error(sent.unsupported.message)
  const text = sent.bytes === undefined ? JSON.stringify(sent.body) : new TextDecoder().decode(sent.bytes())
  return { text, body: JSON.parse(text) as Record<string, unknown>, headers: sent.headers }
}

/** What is left out by a route, by the caller's names. */
export const droppedBy = ({ adapted }: CallInput, endpoint: EndpointId): string[] =>
  adapted.flatMap((one) => ((one.endpoint ?? endpoint) === endpoint ? [one.param] : []))

export const user = { role: 'user', content: 'Hello' }
