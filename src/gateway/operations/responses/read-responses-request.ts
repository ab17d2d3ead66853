// Reads and checks the body of a Responses request; returns the error for one that cannot be run. Pure.
import { AppError } from '../../../platform/errors.ts'
import { checkBySchema } from '../../../platform/check-by-schema.ts'
import { isJsonObject, type JsonObject } from '../../../platform/json.ts'
import { createReader, refuseMember } from '../../call/prepare-call.ts'
import type { WireInputPart, WireItem } from './input-item.schema.ts'
import { createMemberNames } from './error-paths.ts'
import { echoRequest, summaryOf } from './request-echo.ts'
import { responsesAnswerFormat } from './responses-answer-format.ts'
import { findNamed, listTools, namesBack, type ListedTools } from './list-tools.ts'
import { ResponsesRequestSchema, type WireResponsesRequest } from './responses-request.schema.ts'
import { WEB_SEARCH_TYPES } from './tool.schema.ts'
import { findToolOrigins, toChatRequest, toMessages } from './translate-responses-request.ts'

/** @see https://platform.openai.com/docs/api-reference/responses */
export const readResponsesRequest = createReader((body) => {
  const wire = checkRequest(body)
  if (wire instanceof AppError) return wire
  const read = toMessages(wire.instructions ?? null, wire.input)
  if (!read.ok) return refuseMember(`input[${read.item}].encrypted_content`, FOREIGN_REASONING)
  const { conversation } = read
  const listed = readTools(wire)
  if (listed instanceof AppError) return listed
  const origins = findToolOrigins(wire, listed)
  const memberName = createMemberNames(conversation.origins, origins, Boolean(wire.safety_identifier))
  const carriesReasoning = wire.include?.includes('reasoning.encrypted_content') ?? false
  const shown = { carriesReasoning, summary: summaryOf(wire) }
  const nameOf = namesBack(listed)
  return {
    wire,
    request: toChatRequest(wire, conversation, listed),
    formatFor: (sent) => responsesAnswerFormat({ echo: echoRequest(wire, sent), shown, nameOf, memberName }),
  }
})

const FOREIGN_REASONING =
  'It was changed, or another service made it. Send reasoning exactly as this service returned it.'

function checkRequest(body: JsonObject): WireResponsesRequest | AppError {
  // Refused members come first: some of them replace `input`, which would otherwise be reported as missing.
  const refused = refuseMembers(body)
  if (refused !== null) return refused
  const wire = checkBySchema(ResponsesRequestSchema(), body, 'body')
  return wire instanceof AppError ? wire : (checkFiles(wire.input) ?? wire)
}

function readTools(wire: WireResponsesRequest): ListedTools | AppError {
  const listed = listTools(wire)
  return listed instanceof AppError ? listed : (checkTools(wire, listed) ?? listed)
}

function checkTools(
  { tool_choice: choice, max_tool_calls: most }: WireResponsesRequest,
  { tools, searches }: ListedTools,
): AppError | null {
  const [search, second] = searches
  if (second !== undefined) return refuseMember(second.path, 'Only one search tool is allowed. Leave the others out.')
  if (search !== undefined && most)
    return refuseMember('max_tool_calls', 'The number of searches cannot be limited. Leave it out.')
  if (search !== undefined && choice && choice !== 'auto') return refuseMember('tool_choice', SEARCHES_ANYWAY)
  if (typeof choice !== 'object' || choice === null) return null
  const named = choice.type === 'allowed_tools' ? choice.tools : [choice]
  const wrong = named.findIndex((one) => findNamed(tools, one).length !== 1)
  const [meant] = named.slice(wrong)
  if (wrong === -1 || meant === undefined) return null
  const param = choice.type === 'allowed_tools' ? `tool_choice.tools[${wrong}].name` : 'tool_choice.name'
  return refuseMember(param, findNamed(tools, meant).length === 0 ? NO_SUCH_TOOL : SEVERAL_TOOLS)
}

const NO_SUCH_TOOL = 'It must name one of the tools.'
const SEVERAL_TOOLS = 'Several namespaces have a tool of this name. Send namespace__name.'
const SEARCHES_ANYWAY = 'With a search tool, only auto is allowed. Send auto, or leave out the search tool.'

function checkFiles(input: WireResponsesRequest['input']): AppError | null {
  if (typeof input === 'string') return null
  for (const [at, item] of input.entries()) {
    const wrong = partsOf(item).findIndex(isFileWithoutOneSource)
    const member = 'output' in item ? 'output' : 'content'
    if (wrong !== -1) return refuseMember(`input[${at}].${member}[${wrong}]`, ONE_SOURCE)
  }
  return null
}

function partsOf(item: WireItem): readonly WireInputPart[] {
  if ('output' in item) return typeof item.output === 'string' ? [] : item.output
  if (!('role' in item) || item.role !== 'user' || typeof item.content === 'string') return []
  return item.content
}

const ONE_SOURCE = 'A file needs either file_data or file_url. Send exactly one of them.'

const isFileWithoutOneSource = (part: WireInputPart): boolean =>
  part.type === 'input_file' && Boolean(part.file_data) === Boolean(part.file_url)

const NOTHING_STORED = 'This service does not store conversations. Send the whole conversation in input.'

// Unsupported members are refused by name, with a replacement, before the schema is checked. The schema could only say that the
// member does not exist.

/** Members that are refused with any value but null. */
const REFUSED_MEMBERS: Readonly<Record<string, string>> = {
  previous_response_id: NOTHING_STORED,
  conversation: NOTHING_STORED,
  prompt: 'This service does not store prompts. Send the text in instructions and input.',
  prompt_cache_retention: 'The provider decides how long it caches a prompt. Leave this out.',
  moderation: 'This service does not moderate content itself. Leave this out.',
  context_management: 'This service never shortens a conversation. Send only what the model must read.',
}

/** Members of chat completions → the member to use in a Responses request. */
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

/** Members of which only some values are refused. */
const REFUSED_VALUES: readonly { name: string; isRefused: (value: unknown) => boolean; message: string }[] = [
  {
    name: 'store',
    isRefused: (value) => value === true,
    message: 'This service does not store responses. Send false, or leave it out.',
  },
  {
    name: 'background',
    isRefused: (value) => value === true,
    message: 'This service does not run requests in the background. Leave it out, and stream long answers.',
  },
  {
    name: 'truncation',
    isRefused: (value) => value === 'auto',
    message: 'This service never shortens a conversation. Send disabled, or leave it out.',
  },
  {
    name: 'top_logprobs',
    isRefused: (value) => typeof value === 'number' && value > 0,
    message: 'This route does not return log probabilities. Send 0, or leave it out.',
  },
  {
    name: 'include',
    isRefused: (value) => Array.isArray(value) && value.includes('message.output_text.logprobs'),
    message: 'This route does not return log probabilities. Leave message.output_text.logprobs out.',
  },
]

export function refuseMembers(body: JsonObject): AppError | null {
  const isSent = (name: string): boolean => body[name] !== undefined && body[name] !== null
  const named = Object.keys(REFUSED_MEMBERS).find(isSent)
  if (named !== undefined) return refuseMember(named, REFUSED_MEMBERS[named] ?? '')
  const elsewhere = Object.keys(CHAT_MEMBERS).find(isSent)
  if (elsewhere !== undefined)
    return refuseMember(
      elsewhere,
      `This is a member of chat completions. Send ${CHAT_MEMBERS[elsewhere] ?? ''} instead.`,
    )
  const valued = REFUSED_VALUES.find(({ name, isRefused }) => isRefused(body[name]))
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
  return refuseMember(`input[${odd}].type`, `This type of item is not supported. Send one of ${list(ITEM_TYPES)}.`)
}

const NO_REFERENCE = 'This service does not store items. Send the item itself; clients do that with store set to false.'

/** An item with only an id. Its type may be missing. */
function isBareReference(item: unknown): boolean {
  if (!isJsonObject(item) || typeof item['id'] !== 'string') return false
  return Object.entries(item).every(([name, value]) => name === 'id' || (name === 'type' && value === null))
}

function refuseTools(tools: unknown): AppError | null {
  const odd = typesOf(tools).findIndex((type) => typeof type === 'string' && !TOOL_TYPES.has(type))
  if (odd === -1) return null
  return refuseMember(
    `tools[${odd}].type`,
    'This type of tool is not supported. Send each as a tool of the type function, and run it yourself.',
  )
}

const ITEM_TYPES: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'additional_tools',
])
const TOOL_TYPES: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', ...WEB_SEARCH_TYPES])

const typesOf = (list: unknown): unknown[] =>
  Array.isArray(list) ? list.map((entry: unknown) => (isJsonObject(entry) ? entry['type'] : undefined)) : []

const list = (names: ReadonlySet<string>): string => [...names].join(', ')
