// Refuses the members of the Responses format that this service does not support, each by its name and with a replacement.
// Checked before the schema, which could only say that the member does not exist.
import type { AppError } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { refuseMember } from '../call/prepare-call.ts'
import { SEARCHES } from './responses-request.schema.ts'

const NOT_KEPT = 'Nothing is stored here: send the whole conversation in input.'

/** Members whose every value asks for something, and null for nothing. */
const MEMBERS: Readonly<Record<string, string>> = {
  previous_response_id: NOT_KEPT,
  conversation: NOT_KEPT,
  prompt: 'No prompts are stored here: send its text in instructions and input.',
  prompt_cache_retention: 'How long a prompt is kept is up to its provider: leave it out.',
  safety_identifier: 'Send user in its place, or leave it out.',
  moderation: 'Nothing is moderated here beyond what the model’s provider does by itself: leave it out.',
  context_management: 'A conversation is never shortened here: send what the model is to read.',
}

/** Names that members have in chat completions, each with where a Responses request has what it asks for. */
const CHAT_MEMBERS: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  response_format: 'text.format',
  functions: 'tools',
  function_call: 'tool_choice',
  web_search_options: 'tools, as a tool of the type web_search',
}

/** Values that ask for something, of members that have others too. */
const VALUES: readonly { name: string; asks: (value: unknown) => boolean; message: string }[] = [
  {
    name: 'store',
    asks: (value) => value === true,
    message: 'Nothing is stored here: send false, or leave it out.',
  },
  {
    name: 'background',
    asks: (value) => value === true,
    message: 'Answers are given while the caller waits: leave it out, and stream long ones.',
  },
  {
    name: 'truncation',
    asks: (value) => value === 'auto',
    message: 'A conversation is never shortened here: send disabled, or leave it out.',
  },
  {
    name: 'top_logprobs',
    asks: (value) => typeof value === 'number' && value > 0,
    message: 'Log probabilities are not told here: send 0, or leave it out.',
  },
  {
    name: 'include',
    asks: (value) => Array.isArray(value) && value.includes('message.output_text.logprobs'),
    message: 'Log probabilities are not told here: leave message.output_text.logprobs out.',
  },
]

export function refuseMembers(body: JsonObject): AppError | null {
  const isSent = (name: string): boolean => body[name] !== undefined && body[name] !== null
  const named = Object.keys(MEMBERS).find(isSent)
  if (named !== undefined) return refuseMember(named, MEMBERS[named] ?? '')
  const elsewhere = Object.keys(CHAT_MEMBERS).find(isSent)
  if (elsewhere !== undefined)
    return refuseMember(elsewhere, `A name of chat completions: send ${CHAT_MEMBERS[elsewhere] ?? ''}.`)
  const valued = VALUES.find(({ name, asks }) => asks(body[name]))
  if (valued !== undefined) return refuseMember(valued.name, valued.message)
  return refuseItems(body['input']) ?? refuseTools(body['tools'])
}

function refuseItems(input: unknown): AppError | null {
  const types = typesOf(input)
  const referred = types.indexOf('item_reference')
  if (referred !== -1) return refuseMember(`input[${referred}].type`, NO_REFERENCE)
  const named = Array.isArray(input) ? input.findIndex(isBareReference) : -1
  if (named !== -1) return refuseMember(`input[${named}]`, NO_REFERENCE)
  const odd = types.findIndex((type) => typeof type === 'string' && !ITEM_TYPES.has(type))
  if (odd === -1) return null
  return refuseMember(`input[${odd}].type`, `Items of this type are not taken. Those that are: ${list(ITEM_TYPES)}.`)
}

const NO_REFERENCE =
  'Nothing is stored here that an item could refer to: send the item itself. Clients do so where their setting store is false.'

/** Its type may be left out. */
function isBareReference(item: unknown): boolean {
  if (!isJsonObject(item) || typeof item['id'] !== 'string') return false
  return Object.entries(item).every(([name, value]) => name === 'id' || (name === 'type' && value === null))
}

function refuseTools(tools: unknown): AppError | null {
  const odd = typesOf(tools).findIndex((type) => typeof type === 'string' && !TOOL_TYPES.has(type))
  if (odd === -1) return null
  return refuseMember(
    `tools[${odd}].type`,
    'Tools of this type are not taken. Send functions, each as a tool of the type function, and run them yourself.',
  )
}

const ITEM_TYPES: ReadonlySet<string> = new Set(['message', 'function_call', 'function_call_output', 'reasoning'])
const TOOL_TYPES: ReadonlySet<string> = new Set(['function', ...SEARCHES])

const typesOf = (list: unknown): unknown[] =>
  Array.isArray(list) ? list.map((entry: unknown) => (isJsonObject(entry) ? entry['type'] : undefined)) : []

const list = (names: ReadonlySet<string>): string => [...names].join(', ')
