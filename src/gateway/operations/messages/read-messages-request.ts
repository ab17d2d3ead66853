// Reads and checks the body of a Messages request, or returns the error for one that cannot be run. Pure.
import { AppError } from '../../../platform/errors.ts'
import { checkBySchema, refuseDropped } from '../../../platform/check-by-schema.ts'
import { isJsonObject, type JsonObject } from '../../../platform/json.ts'
import type { ChatRequest, NativeRequest } from '../../../providers/chat-request.ts'
import type { Model } from '../../../providers/model-catalogue.ts'
import { isDeferred } from '../../../providers/bedrock/native.ts'
import { providerNamed } from '../../../providers/provider-registry.ts'
import { createReader, refuseMember, type ParsedBody, type SentBody } from '../../call/prepare-call.ts'
import { judgeRoute } from './left-out.ts'
import { bytesOfNames, createMemberNames } from './member-names.ts'
import { messagesAnswerFormat } from './messages-answer-format.ts'
import { MessagesRequestSchema, type WireMessages } from './messages-request.schema.ts'
import { withBody } from './native-request.ts'
import { isSearch, listTools, toChatRequest, toConversation } from './translate-messages.ts'
import { findUnread, type UnreadMember } from './unread-members.ts'

/** @see https://platform.claude.com/docs/en/api/messages */
export const readMessagesRequest = createReader(parse)

/** Reads a request whose input is to be counted: it names no limit. */
export const readCountRequest = createReader((members, sent) => parse({ max_tokens: 1, ...members }, sent))

function parse(members: JsonObject, sent: SentBody): ParsedBody | AppError {
  const headers = readHeaders(sent.headers)
  if (headers instanceof AppError) return headers
  const wire = refuseMembers(members) ?? checkBySchema(MessagesRequestSchema(), members, 'body')
  if (wire instanceof AppError) return wire
  // Anthropic is sent the body as it came, so all of it must be read.
  const unreadable = refuseDropped(members, wire, 'body') ?? refuseBeside(wire)
  if (unreadable !== null) return unreadable
  const { messages, origins } = toConversation(wire)
  const unread = findUnread(MessagesRequestSchema(), members)
  const places = { origins, tools: listTools(wire).map(([, at]) => at) }
  const names = { ...places, search: wire.tools?.findIndex(isSearch) ?? -1 }
  const bytes = bytesOfNames(places)
  const format = messagesAnswerFormat({ memberName: createMemberNames(names), repeatedBytes: () => bytes })
  const asked = { wire, unread, hasBetas: headers[BETA_HEADER] !== undefined }
  return {
    wire,
    request: {
      ...toChatRequest(wire, messages),
      native: toNative(sent, headers, unread),
      variant: variantOf(wire, headers, unread),
    },
    formatFor: () => format,
    adapt: (request, model) => adaptToModel(request, wire, model),
    judge: (model) => judgeRoute(asked, model),
    withTexts: (request) => (request.native ? withBody(request, request.native, places) : request),
  }
}

const VERSION_HEADER = 'anthropic-version'
const BETA_HEADER = 'anthropic-beta'
const VERSIONS = ['2023-06-01', '2026-10-21']
const MOST_BETAS = 32

/** Returns the headers that Anthropic is sent. */
function readHeaders(sent: Headers): Readonly<Record<string, string>> | AppError {
  const version = sent.get(VERSION_HEADER) ?? VERSIONS[0] ?? ''
  if (!VERSIONS.includes(version)) {
    return refuseMember(VERSION_HEADER, `This version is not served here. Send ${VERSIONS.join(' or ')}.`)
  }
  const betas = sent.get(BETA_HEADER)
  if (betas === null) return { [VERSION_HEADER]: version }
  const names = betas.split(',').map((name) => name.trim())
  const isPlain = names.length <= MOST_BETAS && names.every((name) => /^[a-z0-9-]{1,64}$/.test(name))
  return isPlain
    ? { [VERSION_HEADER]: version, [BETA_HEADER]: names.join(',') }
    : refuseMember(BETA_HEADER, `Send at most ${MOST_BETAS} names of betas, separated by commas.`)
}

const toNative = (
  { body, bytes }: SentBody,
  headers: NativeRequest['headers'],
  unread: readonly { json: string }[],
) => ({
  body,
  bytes,
  headers,
  unread: [headers[BETA_HEADER] ?? '', ...unread.map(({ json }) => json)].filter((text) => text !== '').join('\n'),
})

/** A client that is refused tries again without some of these. That is no loop, nor is what only the provider reads of a block. */
function variantOf(
  { thinking, context_management: context }: WireMessages,
  headers: NativeRequest['headers'],
  unread: readonly UnreadMember[],
): JsonObject | undefined {
  const variant = {
    betas: headers[BETA_HEADER],
    display: thinking?.display ?? undefined,
    context: context ?? undefined,
    unread: unread.length > 0 ? unread.map(({ json }) => json) : undefined,
  }
  return Object.values(variant).some((value) => value !== undefined) ? variant : undefined
}

/** Adapts what a model of another format is asked. One of this format is sent what came. */
function adaptToModel(request: ChatRequest, wire: WireMessages, model: Model): ChatRequest {
  const { capabilities: can, provider } = model
  const effort = fitEffort(request, model)
  if (providerNamed(provider).verbs.chat.takesNative !== undefined) return { ...request, reasoningEffort: effort }
  const { tools = [], stop = [], user } = request
  const isHere = stop.length > can.maxStopSequences
  const deferred = new Set(listTools(wire).flatMap(([, place], at) => (isDeferred(wire.tools?.[place]) ? [at] : [])))
  return {
    ...request,
    native: undefined,
    reasoningEffort: effort,
    tools: tools.filter((_, at) => !deferred.has(at)),
    // A client writes its session into it, as JSON.
    user: user !== undefined && /^\s*\{/.test(user) ? undefined : user,
    ...(isHere && { stop: undefined, stopHere: stop }),
  }
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Returns the asked effort, the nearest below that the model has, else its lowest. Beside tools some models cannot reason. */
function fitEffort(
  { reasoningEffort: asked, tools = [] }: ChatRequest,
  { capabilities: can }: Model,
): ChatRequest['reasoningEffort'] {
  if (asked === undefined || can.reasoningEfforts.length === 0) return undefined
  if (tools.length > 0 && !can.toolsWithReasoning) return 'none'
  const known = EFFORTS.filter((effort) => can.reasoningEfforts.includes(effort))
  return known.findLast((effort) => EFFORTS.indexOf(effort) <= EFFORTS.indexOf(asked)) ?? known[0]
}

/** Refuses what nobody here reads beside another member. */
function refuseBeside({ output_config: config, output_format: older, tool_choice: choice }: WireMessages) {
  if (older && config?.format) return refuseMember('output_format', 'Leave it out beside output_config.format.')
  return choice?.name && choice.type !== 'tool' ? refuseMember('tool_choice.name', 'Only with the type tool.') : null
}

const KEPT_THERE = 'It keeps state at the provider, outside the record and its erasure.'

/** Members that are refused with any value but null: they lead past what the record says. */
const REFUSED_MEMBERS: Readonly<Record<string, string>> = {
  container: KEPT_THERE,
  thread: KEPT_THERE,
  mcp_servers: 'The conversation would be sent to a third address.',
  fallbacks: 'Another model than the decision named would answer.',
  speed: 'It has another price.',
  inference_geo: 'Send x-aqta-data-region in its place.',
}

function refuseMembers(members: JsonObject): AppError | null {
  const name = Object.keys(REFUSED_MEMBERS).find((refused) => members[refused] !== undefined)
  if (name === undefined) return refuseTools(members['tools'])
  const refused = refuseMember(name, `${REFUSED_MEMBERS[name] ?? ''} Leave it out.`)
  // The SDKs' tool runners send a thread unasked, and go on without it after this code.
  if (name === 'thread') refused.details.members = { error_code: 'thread_unsupported_request', unsupported: [name] }
  return refused
}

/** Server tools reach third parties or keep state outside the record, and are not priced here. */
function refuseTools(tools: unknown): AppError | null {
  const types = Array.isArray(tools)
    ? tools.map((tool: unknown) => (isJsonObject(tool) ? tool['type'] : undefined))
    : []
  const odd = types.findIndex((type) => typeof type === 'string' && !TOOL.test(type))
  return odd === -1
    ? null
    : refuseMember(
        `tools[${odd}].type`,
        'The provider would run this tool, outside the record. Leave it out, or run one of your own.',
      )
}

const TOOL = /^custom$|^(?:bash|text_editor|memory|computer|web_search)_20\d{6}$/
