// Reads the body of a Responses request, or says why it cannot be run. Pure.
import { parseJsonObject } from '../../platform/body.ts'
import { AppError } from '../../platform/errors.ts'
import { checkForm } from '../../platform/validate.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { ChatRequest } from '../../providers/request.ts'
import { prepareCall, refuseMember, type CallInput } from '../call/prepare-call.ts'
import type { WireInputPart, WireItem } from './input-item.schema.ts'
import { createMemberNames } from './member-names.ts'
import { refuseMembers } from './refused-members.ts'
import { responsesAnswerForm } from './responses-answer-form.ts'
import { ResponsesRequestSchema, type WireResponsesRequest } from './responses-request.schema.ts'
import { findToolOrigins, toChatRequest, toMessages } from './to-chat-request.ts'

export function readResponsesRequest(headers: Headers, bytes: Uint8Array): CallInput | AppError {
  const body = parseJsonObject(headers, bytes)
  if (body instanceof AppError) return body
  const wire = checkRequest(body)
  if (wire instanceof AppError) return wire
  const read = toMessages(wire.instructions ?? null, wire.input)
  if (!read.ok) return refuseMember(`input[${read.item}].encrypted_content`, FOREIGN_REASONING)
  const { conversation } = read
  const memberName = createMemberNames(conversation.origins, findToolOrigins(wire))
  const formFor = (sent: ChatRequest) => responsesAnswerForm({ ...echoOf(wire, sent), memberName })
  const request = toChatRequest(wire, conversation)
  return prepareCall({ body, bytes: bytes.length, modelId: wire.model, request, formFor })
}

const FOREIGN_REASONING =
  'It was not made here, or was changed. Send it as it came, and leave out reasoning that came from elsewhere.'

function checkRequest(body: JsonObject): WireResponsesRequest | AppError {
  // First, since some of these members stand in the place of an input.
  const refused = refuseMembers(body)
  if (refused !== null) return refused
  const missing = ['model', 'input'].find((name) => body[name] === undefined || body[name] === null)
  if (missing !== undefined) return new AppError('missing_parameter', `Send ${missing}.`, { param: missing })
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const wire = checkForm(ResponsesRequestSchema, present, 'body')
  return wire instanceof AppError ? wire : (checkTools(wire) ?? checkFiles(wire.input) ?? wire)
}

function checkTools({ tools, tool_choice: choice, max_tool_calls: most }: WireResponsesRequest): AppError | null {
  const searches = (tools ?? []).flatMap((tool, at) => (tool.type === 'function' ? [] : [at]))
  if (searches.length > 1) return refuseMember(`tools[${searches[1]}]`, 'One tool that searches is enough: send one.')
  if (searches.length > 0 && most)
    return refuseMember('max_tool_calls', 'How often a model searches cannot be limited.')
  if (searches.length > 0 && choice && choice !== 'auto') return refuseMember('tool_choice', SEARCHES_ANYWAY)
  if (typeof choice !== 'object' || choice === null) return null
  const names = choice.type === 'function' ? [choice.name] : choice.tools.map(({ name }) => name)
  const unknown = names.findIndex((name) => !tools?.some((tool) => tool.type === 'function' && tool.name === name))
  if (unknown === -1) return null
  const param = choice.type === 'function' ? 'tool_choice.name' : `tool_choice.tools[${unknown}].name`
  return refuseMember(param, 'It must name one of the tools.')
}

const SEARCHES_ANYWAY =
  'Beside a tool that searches only auto is taken: its model searches when it sees fit. Leave out one of the two.'

function checkFiles(input: WireResponsesRequest['input']): AppError | null {
  if (typeof input === 'string') return null
  for (const [at, item] of input.entries()) {
    const wrong = partsOf(item).findIndex(isFileWithoutOneSource)
    const member = item.type === 'function_call_output' ? 'output' : 'content'
    if (wrong !== -1) return refuseMember(`input[${at}].${member}[${wrong}]`, ONE_SOURCE)
  }
  return null
}

function partsOf(item: WireItem): readonly WireInputPart[] {
  if (item.type === 'function_call_output') return typeof item.output === 'string' ? [] : item.output
  if (!('role' in item) || item.role !== 'user' || typeof item.content === 'string') return []
  return item.content
}

const ONE_SOURCE = 'A file is sent as file_data, or named by file_url: one of the two.'

const isFileWithoutOneSource = (part: WireInputPart): boolean =>
  part.type === 'input_file' && Boolean(part.file_data) === Boolean(part.file_url)

/** The members of the sent request that the answer repeats: numbers and words of the format's own, never what a caller wrote. */
const echoOf = (wire: WireResponsesRequest, sent: ChatRequest) => ({
  maxOutputTokens: wire.max_output_tokens ?? null,
  temperature: sent.temperature ?? 1,
  topP: sent.topP ?? 1,
  parallelToolCalls: wire.parallel_tool_calls ?? true,
  toolChoice: choiceWord(wire.tool_choice),
  format: wire.text?.format?.type ?? 'text',
  verbosity: wire.text?.verbosity ?? null,
  effort: wire.reasoning?.effort ?? null,
  summary: wire.reasoning?.summary ?? wire.reasoning?.generate_summary ?? null,
  comparesCaches: Boolean(wire.prompt_cache_options?.comparison_response_id),
  carriesReasoning: wire.include?.includes('reasoning.encrypted_content') ?? false,
})

function choiceWord(choice: WireResponsesRequest['tool_choice']): 'none' | 'auto' | 'required' {
  if (typeof choice !== 'object') return choice ?? 'auto'
  if (choice === null) return 'auto'
  return choice.type === 'function' ? 'required' : choice.mode
}
