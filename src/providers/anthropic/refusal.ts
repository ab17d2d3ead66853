// Reads why Anthropic rejected a request (https://platform.claude.com/docs/en/api/errors). Errors have a type, and a message that
// begins with the faulty path (`tools.0.custom.input_schema: …`). Missing credit is an invalid request.
import { z } from 'zod'
import { hintAt, messagePath, NO_HINT, readPath, type Origin, type Path, type ReadRefusal } from '../refusal.ts'

const ErrorSchema = z.object({ error: z.object({ type: z.string(), message: z.string() }) })

const ACCESS_TYPES = new Set(['authentication_error', 'permission_error', 'billing_error', 'not_found_error'])
/** Matches only text before a quotation: a message about the request can repeat the caller's words after a path. */
const ACCESS = /^(?:you|this)[^:"'`]*(?:credit balance|usage limits|organization has been disabled)/i
const TOO_LONG = /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i
const MEDIA = /could not process (?:image|pdf|document)|image dimensions|pdf pages/i
const CONTENT = /content filtering policy/i

/** Matches `messages.0.content.1.text: …`, or a member in backticks. */
const LEADING_PATH = /^(?:([a-z_]+(?:\.\w+)*):|`([a-z_]+(?:\.\w+)*)`)/

export const readAnthropicRefusal: ReadRefusal = (body, origin) => {
  const parsed = ErrorSchema.safeParse(body)
  if (!parsed.success) return NO_HINT
  const { type, message } = parsed.data.error
  if (ACCESS_TYPES.has(type) || ACCESS.test(message)) return 'access'
  const leading = LEADING_PATH.exec(message)
  const theirs = readPath(leading?.[1] ?? leading?.[2] ?? '')
  const path = toChat(theirs, origin)
  if (TOO_LONG.test(message)) return { reason: 'too_long', path: ['messages'] }
  if (type === 'request_too_large') return { reason: 'too_large', path }
  if (CONTENT.test(message)) return { reason: 'content', path }
  if (MEDIA.test(message) || has(theirs, 'image', 'document', 'source')) return { reason: 'media', path }
  if (has(theirs, 'input_schema', 'format', 'output_format')) return { reason: 'schema', path }
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

function toChat(theirs: Path, origin: Origin): Path {
  const [first, second] = theirs
  if (first === 'messages') return toMessage(theirs, origin)
  if (first === 'tools' && typeof second === 'number') return toTool(second, theirs.slice(2))
  if (first === 'tools') return ['tools']
  if (first === 'output_config') {
    if (second === 'effort') return ['reasoning_effort']
    return has(theirs, 'schema') ? ['response_format', 'json_schema', 'schema'] : ['response_format']
  }
  return MEMBERS.get(first) ?? []
}

/** Blocks and parts have different indexes: blank texts are dropped, and calls and results are blocks as well. */
function toMessage(theirs: Path, origin: Origin): Path {
  const path = messagePath(theirs[1], origin)
  const isContent = theirs[2] === 'content' && !has(theirs, 'tool_use', 'thinking', 'redacted_thinking')
  return path.length > 1 && isContent ? [...path, 'content'] : path
}

/** `custom` is Anthropic's kind of tool for ours. */
function toTool(index: number, rest: Path): Path {
  const [member] = rest[0] === 'custom' ? rest.slice(1) : rest
  const name = TOOL_MEMBERS.get(member)
  return name === undefined ? ['tools', index] : ['tools', index, 'function', name]
}
