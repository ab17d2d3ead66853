// Describes in closed vocabularies why a provider rejected a request; each provider’s folder reads its own errors. SECURITY: a provider's
// words are not stored, because they can repeat the request and contain parts of keys and URLs.
import { isJsonObject, ownMember } from '../platform/json.ts'
import { isInstruction, type ChatRequest } from './chat-request.ts'

export type RejectionReason =
  | 'too_long' // more tokens than the model takes
  | 'beyond_rate' // more tokens than this deployment may use there in a minute, so that waiting does not help
  | 'too_large' // more bytes than the provider takes
  | 'media' // a picture or a file that it cannot read
  | 'schema' // a JSON schema that it cannot use
  | 'content' // against its own policy
  | 'member' // a member, or its value
  | 'unknown'

/** `member`: the rejected member, in the names of the chat standard; null if that is not certain. */
export type Rejection = { readonly reason: RejectionReason; readonly member: string | null }

/**
 * The hint of an error body. `access`: the fault is this deployment's key, account or money, not the request. `path`: the member
 * in the chat standard's request, or empty.
 */
export type RejectionHint = 'access' | { readonly reason: RejectionReason; readonly path: Path }

/** @param body the error's JSON; undefined if it has none */
export type ReadRejection = (body: unknown, requestSizes: RequestSizes) => RejectionHint

export const NO_HINT: RejectionHint = { reason: 'unknown', path: [] }

export const hintAt = (path: Path): RejectionHint => ({ reason: path.length === 0 ? 'unknown' : 'member', path })

export function rejectionOf(
  hint: Exclude<RejectionHint, 'access'>,
  status: number,
  requestSizes: RequestSizes,
): Rejection {
  const reason = hint.reason === 'unknown' && status === 413 ? 'too_large' : hint.reason
  const member = memberAt(hint.path, requestSizes)
  return { reason: reason === 'member' && member === null ? 'unknown' : reason, member }
}

export type Path = readonly (string | number)[]

/** The sizes of a request, which help to find the member that an error means. Numbers only. */
export type RequestSizes = {
  readonly messages: number
  readonly tools: number
  /** The number of messages before the provider's first turn; null if its turns are not one message each. */
  readonly turnsAfter: number | null
}

/** @param turns the provider's turns in the body, each with its role */
export function requestSizesOf({ messages, tools = [] }: ChatRequest, turns: unknown): RequestSizes {
  const roles = Array.isArray(turns) ? turns.map((turn: unknown) => isJsonObject(turn) && turn['role']) : []
  return { messages: messages.length, tools: tools.length, turnsAfter: messagesBefore(messages, roles) }
}

const INSTRUCTION_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer'])

/** Some providers take system text first or elsewhere, and merge neighbours of one role into one turn. */
function messagesBefore(messages: ChatRequest['messages'], roles: readonly unknown[]): number | null {
  const isTurn = messages.map((message) => !isInstruction(message))
  if (roles.length === messages.length) {
    return isTurn.every((is, at) => is !== INSTRUCTION_ROLES.has(roles[at])) ? 0 : null
  }
  const first = isTurn.indexOf(true)
  const isCertain = first !== -1 && isTurn.slice(first).every(Boolean) && roles.length === messages.length - first
  return isCertain ? first : null
}

/** Returns the path of the provider's turn with this index; without an index if its message is not certain. */
export const messagePath = (turn: string | number | undefined, { turnsAfter }: RequestSizes): Path =>
  typeof turn === 'number' && turnsAfter !== null ? ['messages', turnsAfter + turn] : ['messages']

/** Reads `a.0.b`, `a[0].b` and `a.[0].b` alike. Overlong paths are cut. */
export function readPath(text: string): Path {
  const steps = text.slice(0, 200).match(/[A-Za-z_$][\w$]*|\d+/g) ?? []
  return steps.slice(0, 12).map((step) => (/^\d{1,6}$/.test(step) ? Number(step) : step))
}

type Members = { readonly [name: string]: Members }

const EACH = '[]'
const LEAF: Members = {}

const PART: Members = {
  type: LEAF,
  text: LEAF,
  image_url: { url: LEAF, detail: LEAF },
  file: { file_data: LEAF, filename: LEAF },
}

const MESSAGE: Members = {
  role: LEAF,
  name: LEAF,
  content: { [EACH]: PART },
  tool_call_id: LEAF,
  tool_calls: { [EACH]: { id: LEAF, type: LEAF, function: { name: LEAF, arguments: LEAF } } },
}

const TOOL: Members = {
  type: LEAF,
  function: { name: LEAF, description: LEAF, parameters: LEAF, strict: LEAF },
}

const REQUEST: Members = {
  model: LEAF,
  messages: { [EACH]: MESSAGE },
  tools: { [EACH]: TOOL },
  tool_choice: LEAF,
  parallel_tool_calls: LEAF,
  response_format: { type: LEAF, json_schema: { name: LEAF, description: LEAF, schema: LEAF, strict: LEAF } },
  temperature: LEAF,
  top_p: LEAF,
  max_completion_tokens: LEAF,
  stop: LEAF,
  n: LEAF,
  seed: LEAF,
  user: LEAF,
  stream: LEAF,
  reasoning_effort: LEAF,
  verbosity: LEAF,
  frequency_penalty: LEAF,
  presence_penalty: LEAF,
  logit_bias: LEAF,
  logprobs: LEAF,
  top_logprobs: LEAF,
  web_search_options: LEAF,
}

/** Returns the known part of the member's name, such as `tools[0].function.parameters`; null if its first step is unknown. */
function memberAt(path: Path, requestSizes: RequestSizes): string | null {
  let members = REQUEST
  let name = ''
  for (const [at, step] of path.entries()) {
    const known = typeof step === 'number' ? EACH : step
    const next = ownMember(members, known)
    if (next === undefined || (at === 1 && !isThere(path[0], step, requestSizes))) break
    members = next
    if (typeof step === 'number') name += `[${step}]`
    else name += name === '' ? step : `.${step}`
  }
  return name === '' ? null : name
}

function isThere(list: string | number | undefined, step: string | number, requestSizes: RequestSizes): boolean {
  if (typeof step !== 'number') return true
  return step < (list === 'messages' ? requestSizes.messages : requestSizes.tools)
}
