// Reads why Gemini rejected a request (https://google.aip.dev/193). BadRequest details name fields, ErrorInfo a reason. Gemini
// reports a wrong key as a bad request. Some errors name the field only in their message.
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

const DetailSchema = once(() =>
  z.looseObject({
    reason: z.string().optional().catch(undefined),
    fieldViolations: z
      .array(z.looseObject({ field: z.string().optional().catch(undefined) }))
      .optional()
      .catch(undefined),
  }),
)

const ErrorSchema = once(() =>
  z.object({
    error: z.object({
      message: z.string().catch(''),
      status: z.string().optional().catch(undefined),
      details: z.array(DetailSchema()).catch([]),
    }),
  }),
)

const ACCESS_REASON = /^(?:API_KEY_.*|BILLING_.*|SERVICE_DISABLED|CONSUMER_.*|ACCOUNT_.*|.*LOCATION.*)$/
/** Statuses for a fault of the key, of billing, or of the location that the service is used from. */
const ACCESS_STATUS = new Set(['FAILED_PRECONDITION', 'PERMISSION_DENIED', 'UNAUTHENTICATED', 'NOT_FOUND'])
/** Matches only text before a quotation, which can be the caller's words. */
const ACCESS = /^[^"'`]*(?:api key (?:not valid|expired)|credits are depleted|spending cap)/i
const TOO_LONG = /\binput token count\b/i
const TOO_LARGE = /payload size exceeds/i
const MEDIA =
  /unable to process input (?:image|file)|image is not valid|document has no pages|unsupported mime type|base64 decoding/i
const SCHEMA = /\bschema\b/i

/** Matches the first field that a message names, such as `tools[0].function_declarations[2].name`. */
const NAMED_FIELD =
  /\b(?:contents|tools|tool_config|toolConfig|system_instruction|systemInstruction|generation_config|generationConfig)(?:\[\d{1,6}\]|\.\w{1,60}){1,12}/

/** Words of a message that names no field → the member that it means. */
const MEMBER_BY_WORDS: readonly (readonly [RegExp, Path])[] = [
  [/^thinking (?:level|budget)\b/i, ['reasoning_effort']],
  [/^(?:forced )?function calling .{0,40}with a response mime type/i, ['response_format']],
]

export const readGeminiRejection: ReadRejection = (body, requestSizes) => {
  const parsed = ErrorSchema().safeParse(Array.isArray(body) ? body[0] : body)
  if (!parsed.success) return NO_HINT
  const { message, status = '', details } = parsed.data.error
  const reasons = details.flatMap(({ reason = '' }) => reason)
  if (reasons.some((reason) => ACCESS_REASON.test(reason)) || ACCESS_STATUS.has(status) || ACCESS.test(message)) {
    return 'access'
  }
  const violated = details.flatMap(({ fieldViolations = [] }) => fieldViolations.flatMap(({ field = '' }) => field))
  const geminiPath = readPath(violated.find((field) => field !== '') ?? NAMED_FIELD.exec(message)?.[0] ?? '').map(
    normaliseStep,
  )
  const memberByWords = MEMBER_BY_WORDS.find(([words]) => words.test(message))?.[1] ?? []
  const path = geminiPath.length === 0 ? memberByWords : toChatPath(geminiPath, requestSizes)
  if (TOO_LONG.test(message)) return { reason: 'too_long', path: ['messages'] }
  if (TOO_LARGE.test(message)) return { reason: 'too_large', path }
  if (MEDIA.test(message) || has(geminiPath, 'inlinedata', 'filedata')) return { reason: 'media', path }
  if (has(geminiPath, ...SCHEMAS)) return { reason: 'schema', path }
  return path.length === 0 && SCHEMA.test(message) ? { reason: 'schema', path } : hintAt(path)
}

const SCHEMAS = ['parameters', 'parametersjsonschema', 'responseschema', 'responsejsonschema']

/** Normalises names, because fields come in snake case and in camel case. */
const normaliseStep = (step: string | number): string | number =>
  typeof step === 'number' ? step : step.replaceAll('_', '').toLowerCase()

const has = (path: Path, ...steps: string[]): boolean => path.some((step) => steps.includes(String(step)))

const CONFIG = new Map<unknown, Path>([
  ['temperature', ['temperature']],
  ['topp', ['top_p']],
  ['maxoutputtokens', ['max_completion_tokens']],
  ['stopsequences', ['stop']],
  ['candidatecount', ['n']],
  ['seed', ['seed']],
  ['thinkingconfig', ['reasoning_effort']],
  ['responsemimetype', ['response_format']],
  ['responseschema', ['response_format', 'json_schema', 'schema']],
  ['responsejsonschema', ['response_format', 'json_schema', 'schema']],
])

const FUNCTION_MEMBERS = new Map<unknown, string>([
  ['name', 'name'],
  ['description', 'description'],
  ['parameters', 'parameters'],
  ['parametersjsonschema', 'parameters'],
])

function toChatPath(geminiPath: Path, requestSizes: RequestSizes): Path {
  const [first, ...rest] = geminiPath[0] === 'generatecontentrequest' ? geminiPath.slice(1) : geminiPath
  if (first === 'contents') return messagePath(rest[0], requestSizes)
  if (first === 'systeminstruction') return ['messages']
  if (first === 'tools') return toTool(rest)
  if (first === 'toolconfig') return ['tool_choice']
  return first === 'generationconfig' ? (CONFIG.get(rest[0]) ?? []) : []
}

/** All functions are in one tool, in their order. */
function toTool(rest: Path): Path {
  const [, list, index, member] = rest
  if (list !== 'functiondeclarations' || typeof index !== 'number') return ['tools']
  const name = FUNCTION_MEMBERS.get(member)
  return name === undefined ? ['tools', index] : ['tools', index, 'function', name]
}
