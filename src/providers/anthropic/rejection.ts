// Reads why Anthropic rejected a request (https://platform.claude.com/docs/en/api/errors). Errors have a type, and a message that
// begins with the faulty path (`tools.0.custom.input_schema: …`). Anthropic reports missing credit as an invalid request. Amazon
// Bedrock answers with such errors, or with AWS's, which have only a message.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import {
  hintAt,
  messagePath,
  NO_HINT,
  readPath,
  type RequestSizes,
  type Path,
  type ReadRejection,
} from '../rejection.ts'

const ErrorSchema = once(() =>
  z.union([
    z.object({ error: z.object({ type: z.string(), message: z.string() }) }).transform(({ error }) => error),
    z.object({ message: z.string() }).transform(({ message }) => ({ type: '', message })),
    z.object({ Message: z.string() }).transform(({ Message: message }) => ({ type: '', message })),
  ]),
)

const ACCESS_TYPES = new Set(['authentication_error', 'permission_error', 'billing_error', 'not_found_error'])
/** Matches only text before a quotation: a message about the request can repeat the caller's words after a path. */
const ACCESS = /^(?:you|this)[^:"'`]*(?:credit balance|usage limits|organization has been disabled)/i
/** Amazon Bedrock's answer to a model's name in place of an inference profile's. We choose that name, not the caller. */
const WRONG_MODEL = /^invocation of model id \S+ with on-demand throughput isn.t supported/i
const TOO_LONG = /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i
const MEDIA = /could not process (?:image|pdf|document)|image dimensions|pdf pages/i
const CONTENT = /content filtering policy/i

/** Matches `messages.0.content.1.text: …`, or a member in backticks. */
const LEADING_PATH = /^(?:([a-z_]+(?:\.\w+)*):|`([a-z_]+(?:\.\w+)*)`)/

export const readAnthropicRejection: ReadRejection = (body, requestSizes) => {
  const parsed = ErrorSchema().safeParse(body)
  if (!parsed.success) return NO_HINT
  const { type, message } = parsed.data
  if (ACCESS_TYPES.has(type) || ACCESS.test(message) || WRONG_MODEL.test(message)) return 'access'
  const leading = LEADING_PATH.exec(message)
  const anthropicPath = readPath(leading?.[1] ?? leading?.[2] ?? '')
  const path = toChatPath(anthropicPath, requestSizes)
  if (TOO_LONG.test(message)) return { reason: 'too_long', path: ['messages'] }
  if (type === 'request_too_large') return { reason: 'too_large', path }
  if (CONTENT.test(message)) return { reason: 'content', path }
  if (MEDIA.test(message) || has(anthropicPath, 'image', 'document', 'source')) return { reason: 'media', path }
  if (has(anthropicPath, 'input_schema', 'format', 'output_format')) return { reason: 'schema', path }
  return hintAt(path)
}

const has = (path: Path, ...steps: string[]): boolean => path.some((step) => steps.includes(String(step)))

const MEMBERS = new Map<unknown, Path>([
  ['model', ['model']],
  ['system', ['messages']],
  ['max_tokens', ['max_completion_tokens']],
  ['stop_sequences', ['stop']],
  ['metadata', ['user']],
  ['thinking', ['reasoning_effort']],
  ['tool_choice', ['tool_choice']],
  ['temperature', ['temperature']],
  ['top_p', ['top_p']],
  ['output_format', ['response_format']],
])

const TOOL_MEMBERS = new Map<unknown, string>([
  ['input_schema', 'parameters'],
  ['name', 'name'],
  ['description', 'description'],
  ['strict', 'strict'],
])

function toChatPath(anthropicPath: Path, requestSizes: RequestSizes): Path {
  const [first, second] = anthropicPath
  if (first === 'messages') return toMessage(anthropicPath, requestSizes)
  // A request without tools has one on the wire only if that carries its schema.
  if (first === 'tools' && requestSizes.tools === 0) return ['response_format', 'json_schema', 'schema']
  if (first === 'tools' && typeof second === 'number') return toTool(second, anthropicPath.slice(2))
  if (first === 'tools') return ['tools']
  if (first === 'output_config') {
    if (second === 'effort') return ['reasoning_effort']
    return has(anthropicPath, 'schema') ? ['response_format', 'json_schema', 'schema'] : ['response_format']
  }
  return MEMBERS.get(first) ?? []
}

/** Blocks and parts have different indexes: blank texts are dropped, and calls and results are blocks as well. */
function toMessage(anthropicPath: Path, requestSizes: RequestSizes): Path {
  const path = messagePath(anthropicPath[1], requestSizes)
  const isContent = anthropicPath[2] === 'content' && !has(anthropicPath, 'tool_use', 'thinking', 'redacted_thinking')
  return path.length > 1 && isContent ? [...path, 'content'] : path
}

/** Anthropic puts the members of a caller's tool under `custom`. */
function toTool(index: number, rest: Path): Path {
  const [member] = rest[0] === 'custom' ? rest.slice(1) : rest
  const name = TOOL_MEMBERS.get(member)
  return name === undefined ? ['tools', index] : ['tools', index, 'function', name]
}
