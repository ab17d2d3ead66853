// Reads why Mistral rejected a request. Its errors have OpenAI's members without an envelope. What is wrong with a member is in a
// list `detail`, which is at the top or in the place of the message.
import * as z from 'zod'
import { isJsonObject } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import { readStandardRejection } from '../openai/rejection.ts'
import { NO_HINT, type Path, type ReadRejection, type RequestSizes } from '../rejection.ts'

const DetailSchema = once(() => z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])) })))

/** @see https://docs.mistral.ai/resources/error-glossary */
export const readMistralRejection: ReadRejection = (body, requestSizes) => {
  if (!isJsonObject(body)) return NO_HINT
  const { message, detail, type, code, param } = body
  const details = DetailSchema().safeParse(isJsonObject(message) ? message['detail'] : detail).data
  const loc = details?.[0]?.loc.join('.')
  return readError({ error: { message, type, code, param: loc ?? param } }, requestSizes)
}

const ROLES = new Set<unknown>(['system', 'user', 'assistant', 'tool'])

/** The gateway's member by Mistral's, where they differ. */
const NAMES = new Map<unknown, string>([
  ['max_tokens', 'max_completion_tokens'],
  ['random_seed', 'seed'],
])

const readError = readStandardRejection((path, requestSizes) => {
  const [first, ...rest] = path[0] === 'body' ? path.slice(1) : path
  if (first === undefined) return []
  return first === 'messages' ? toMessage(rest, requestSizes) : [NAMES.get(first) ?? first, ...rest]
})

/** A message's role comes after its index. The index is certain only if no message was left out. */
function toMessage([index, ...rest]: Path, { turnsAfter }: RequestSizes): Path {
  if (index === undefined || turnsAfter !== 0) return ['messages']
  return ['messages', index, ...(ROLES.has(rest[0]) ? rest.slice(1) : rest)]
}
