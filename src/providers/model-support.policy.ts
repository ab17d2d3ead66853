// Finds what a request asks and its model does not support, by the catalogue's data, and faults of the conversation. A parameter is
// translated in full or refused; a sampling parameter can also be dropped, and an output limit lowered. A model with a new ability needs a line of data and no
// code.
import { isTooDeep } from '../platform/json.ts'
import type { Capabilities } from './catalogue.schema.ts'
import type { Model } from './model-catalogue.ts'
import type { EncodedRequest, RoutedModel, VerbName } from './provider.ts'
import { providerNamed } from './provider-registry.ts'
import {
  decodeText,
  instructionsAsUser,
  isInstruction,
  joinText,
  lastConversationMessage,
  parseImageUrl,
  parseMediaUrl,
  textMessage,
  type ChatRequest,
  type FilePart,
  type ImagePart,
  type MediaPart,
  type Message,
  type TextPart,
} from './chat-request.ts'
import { unsupported, type Unsupported } from './failure.ts'
import { withTurn } from './anthropic/native.ts'
import { MOST_LEVELS, parseJsonObject } from './lossless-json.ts'
import { DEFAULT_SAMPLING, hasFixedSampling, withoutDefaults, writeNames } from './adapt-request.policy.ts'

/** `droppedFaults` and `addedFaults`: the fault of each parameter that was left out, lowered or added to. */
type FittedRequest = {
  readonly request: ChatRequest
  readonly droppedFaults: readonly Unsupported[]
  readonly addedFaults: readonly Unsupported[]
}

/**
 * Returns the request without the sampling parameters that the model does not take, with at most the model's output limit, and with a
 * user's message at its end if the model needs one, or one of the others that may be asked in its place.
 */
export function fitToModel(asked: ChatRequest, model: RoutedModel, others: readonly RoutedModel[] = []): FittedRequest {
  const { request, addedFaults } = addUserMessage(asked, [model, ...others])
  const droppedFaults: Unsupported[] = []
  let rest = request
  for (;;) {
    const fault = samplingFaults(withoutDefaults(rest, model), model).next().value
    if (!fault) break
    droppedFaults.push(fault)
    rest = SAMPLING[fault.param]?.(rest) ?? withoutExtra(rest, fault.param)
  }
  const { maxOutputTokens } = model.limits
  if (rest.maxTokens === undefined || rest.maxTokens <= maxOutputTokens) {
    return { request: rest, droppedFaults, addedFaults }
  }
  droppedFaults.push(refuseBy(model)('max_completion_tokens', `more than ${maxOutputTokens} output tokens`))
  return { request: { ...rest, maxTokens: maxOutputTokens }, droppedFaults, addedFaults }
}

const CONTINUE = textMessage('user', 'Continue.')

/** Agents ask for a structured answer with a history that ends with the assistant. A call without its result is a fault of its own. */
function addUserMessage(
  request: ChatRequest,
  models: readonly RoutedModel[],
): Pick<FittedRequest, 'request' | 'addedFaults'> {
  const [fault] = models.flatMap((model) => lastMessageFault(request, model) ?? [])
  const last = lastConversationMessage(request)
  const isCalling = last?.role === 'assistant' && (last.toolCalls ?? []).length > 0
  if (fault === undefined || isCalling) return { request, addedFaults: [] }
  const native = request.native && withTurn(request.native, { role: 'user', content: joinText(CONTINUE.content) })
  return { request: { ...request, native, messages: [...request.messages, CONTINUE] }, addedFaults: [fault] }
}

function lastMessageFault(request: ChatRequest, model: RoutedModel): Unsupported | null {
  const { prefill, prefillWithSchema } = model.capabilities
  const isTaken = request.responseFormat?.type === 'json_schema' ? prefillWithSchema : prefill
  if (isTaken || lastConversationMessage(request)?.role !== 'assistant') return null
  return refuseBy(model)('messages', 'a conversation that ends with the assistant: add a user message')
}

const SAMPLING: Readonly<Record<string, (request: ChatRequest) => ChatRequest>> = {
  temperature: (request) => ({ ...request, temperature: undefined }),
  top_p: (request) => ({ ...request, topP: undefined }),
  seed: (request) => ({ ...request, seed: undefined }),
}

function withoutExtra(request: ChatRequest, name: string): ChatRequest {
  const extras = Object.entries(request.extraParameters ?? {}).filter(([other]) => other !== name)
  return { ...request, extraParameters: Object.fromEntries(extras) }
}

/** Returns the first parameter that the model does not support, or null. @param request from `withoutDefaults` */
export const unsupportedParameter = (request: ChatRequest, model: RoutedModel): Unsupported | null =>
  refusals(request, model).next().value

function* refusals(request: ChatRequest, model: RoutedModel): Generator<Unsupported, null> {
  const can = model.capabilities
  const refuse = refuseBy(model)

  yield* samplingFaults(request, model)
  yield* probabilityRefusals(request, model, refuse)
  if ((request.n ?? 1) > can.maxChoices) yield refuse('n', `more than ${can.maxChoices} choice(s)`)
  if ((request.stop ?? []).length > can.maxStopSequences) {
    yield refuse(
      'stop',
      can.maxStopSequences === 0 ? 'stop sequences: leave it out' : `more than ${can.maxStopSequences}`,
    )
  }
  if (request.reasoningEffort !== undefined && !can.reasoningEfforts.includes(request.reasoningEffort)) {
    const known = can.reasoningEfforts.join(', ')
    yield refuse(
      'reasoning_effort',
      known === '' ? 'reasoning efforts: leave it out' : `this reasoning effort: send one of ${known}`,
    )
  }
  if (request.webSearch !== undefined && !can.webSearch) yield refuse('web_search_options', 'web search: leave it out')
  const format = request.responseFormat?.type ?? 'text'
  if (format !== 'text' && !can.responseFormats.includes(format)) yield refuse('response_format', `${format} output`)
  for (const name of Object.keys(request.extraParameters ?? {})) {
    if (!can.extraParameters.includes(name)) yield refuse(name, 'this parameter: leave it out')
  }
  yield* toolRefusals(request, model, refuse)
  yield* messageRefusals(request, model, refuse)
  return null
}

type Refuse = (param: string, what: string) => Unsupported

const refuseBy =
  ({ id }: RoutedModel): Refuse =>
  (param, what) =>
    unsupported(param, `${id} does not support ${what}.`)

const SAMPLING_EXTRAS = ['frequency_penalty', 'presence_penalty', 'top_k'] as const
const PROBABILITIES = ['logprobs', 'top_logprobs'] as const

/** Yields the faults of sampling parameters, which can be dropped: they affect the choice of an answer, not the question. */
function* samplingFaults(request: ChatRequest, model: RoutedModel): Generator<Unsupported, void> {
  const refuse = refuseBy(model)
  const { id, capabilities: can } = model
  const { temperature, topP, extraParameters = {} } = request
  const isFixed = hasFixedSampling(request, model)
  const fixed = isFixed
    ? `${id} allows only its default while it reasons. Send ${DEFAULT_SAMPLING}, leave it out, or ask for the effort none.`
    : `${id} allows only its default. Send ${DEFAULT_SAMPLING}, or leave it out.`
  const highest = can.temperature?.max ?? DEFAULT_SAMPLING
  if (temperature !== undefined) {
    if (can.temperature === null || isFixed) yield unsupported('temperature', fixed)
    if (temperature > highest) yield refuse('temperature', `a value above ${highest}`)
  }
  if (topP !== undefined && (!can.topP || isFixed)) yield unsupported('top_p', fixed)
  if (temperature !== undefined && topP !== undefined && !can.temperatureWithTopP) {
    yield refuse('top_p', 'temperature and top_p together: send one of the two')
  }
  for (const name of SAMPLING_EXTRAS) {
    const isTaken = can.extraParameters.includes(name) || extraParameters[name] === undefined
    if (!isTaken) yield refuse(name, 'this parameter: leave it out')
  }
  if (request.seed !== undefined && !can.seed) yield refuse('seed', 'a seed: leave it out')
}

function* probabilityRefusals(request: ChatRequest, model: RoutedModel, refuse: Refuse): Generator<Unsupported, void> {
  const { extraParameters = {} } = request
  const requestedProbability = hasFixedSampling(request, model)
    ? PROBABILITIES.find((name) => extraParameters[name] !== undefined)
    : undefined
  if (requestedProbability !== undefined && model.capabilities.extraParameters.includes(requestedProbability)) {
    yield refuse(requestedProbability, 'probabilities while it reasons: leave it out, or ask for the effort none')
  }
}

function* toolRefusals(request: ChatRequest, model: RoutedModel, refuse: Refuse): Generator<Unsupported, void> {
  const can = model.capabilities
  const tools = request.tools ?? []
  if (tools.length > 0 && !can.tools) yield refuse('tools', 'tools')
  if (tools.length > 0 && !can.toolsWithReasoning && (request.reasoningEffort ?? 'none') !== 'none') {
    yield refuse('reasoning_effort', 'reasoning together with tools: send none, or leave it out')
  }
  if (tools.length === 0 && request.toolChoice !== undefined) {
    yield unsupported('tool_choice', 'Only allowed together with tools.')
  }
  for (const [at, tool] of tools.entries()) {
    if (tool.strict === true && !can.strictTools) yield refuse(`tools[${at}].function.strict`, 'strict tools')
    if (tool.custom !== undefined && !can.customTools) {
      yield refuse(`tools[${at}].type`, 'tools that take free text. Declare a function with one text parameter')
    }
  }
  const { toolChoice } = request
  if (typeof toolChoice === 'object' && !tools.some((tool) => tool.name === toolChoice.name)) {
    yield unsupported('tool_choice', 'It must name one of the tools.')
  }
}

function* imageRefusals(part: ImagePart, can: Capabilities, at: string, refuse: Refuse): Generator<Unsupported, void> {
  const path = `${at}.image_url`
  const image = parseImageUrl(part.url)
  if (image === null) yield unsupported(path, 'An image must be an https address or a base64 data URL.')
  else if (!can.imageSources.includes(image.source)) {
    yield refuse(path, image.source === 'data' ? 'images' : 'images by address; send a data URL')
  } else if (image.source === 'data' && !isListed(image.mediaType, can.imageTypes)) {
    yield refuse(path, `images of other types than ${can.imageTypes.join(', ')}`)
  }
  if (!can.imageDetail && part.detail === 'low') yield refuse(`${path}.detail`, 'a lower detail: send auto or high')
}

function* fileRefusals(part: FilePart, can: Capabilities, at: string, refuse: Refuse): Generator<Unsupported, void> {
  const path = `${at}.file.file_data`
  const file = parseMediaUrl(part.url)
  if (file === null) yield unsupported(path, 'A file must be a base64 data URL.')
  else if (can.fileSources.length === 0) yield refuse(path, 'files')
  else if (!can.fileSources.includes(file.source)) yield refuse(path, 'files by address; send a data URL')
  else if (file.source === 'data' && !isListed(file.mediaType, can.fileTypes)) {
    yield refuse(path, `files of other types than ${can.fileTypes.join(', ')}`)
  } else if (file.source === 'data' && file.mediaType.startsWith('text/') && decodeText(file.base64) === null) {
    yield unsupported(path, 'The data of a text file must be UTF-8 in base64.')
  }
}

/** Returns whether a type is listed; `text/*` matches any text. */
const isListed = (mediaType: string, listed: readonly string[]): boolean =>
  listed.some((type) => type === mediaType || (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1))))

function* messageRefusals(request: ChatRequest, model: RoutedModel, refuse: Refuse): Generator<Unsupported, void> {
  const can = model.capabilities
  for (const [at, message] of request.messages.entries()) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
    const custom = can.customTools ? -1 : calls.findIndex(({ isCustom }) => isCustom)
    if (custom !== -1) yield refuse(`messages[${at}].tool_calls[${custom}].type`, 'calls of tools that take free text')
    for (const [position, part] of message.content.entries()) {
      if (part.type === 'text') continue
      if (message.role === 'tool' && !can.toolResultMedia) {
        yield refuse(`messages[${at}].content[${position}]`, 'pictures and files in tool results')
      }
      const path = `messages[${at}].content[${position}]`
      yield* part.type === 'file' ? fileRefusals(part, can, path, refuse) : imageRefusals(part, can, path, refuse)
    }
  }
  const fault = lastMessageFault(request, model)
  if (fault !== null) yield fault
}

export function conversationFault(messages: readonly Message[], model: RoutedModel): Unsupported | null {
  const { looseTurns } = model.capabilities
  return emptinessFault(messages, looseTurns) ?? toolFault(messages, looseTurns)
}

function emptinessFault(messages: readonly Message[], looseTurns: boolean): Unsupported | null {
  if (messages.every((message) => !looseTurns && isInstruction(message))) {
    return unsupported('messages', 'Add at least one user message.')
  }
  const isBlank = (part: TextPart | MediaPart) => !looseTurns && part.type === 'text' && part.text.trim() === ''
  const at = messages.findIndex(({ role, content }) => role === 'user' && content.every(isBlank))
  return at === -1 ? null : unsupported(`messages[${at}].content`, 'A user message must not be empty with this model.')
}

function toolFault(messages: readonly Message[], looseTurns: boolean): Unsupported | null {
  const unanswered = new Set<string>()
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`
    if (message.role === 'tool') {
      if (!unanswered.delete(message.toolCallId)) {
        return unsupported(`${path}.tool_call_id`, 'It must answer a call of the assistant message before it.')
      }
      continue
    }
    if (unanswered.size > 0)
      return unsupported(path, 'Every tool call of the assistant message before it must be answered first.')
    if (message.role !== 'assistant') continue
    for (const [position, call] of (message.toolCalls ?? []).entries()) {
      const wrong = looseTurns || call.isCustom === true ? null : argumentsFault(call.arguments)
      if (wrong !== null) return unsupported(`${path}.tool_calls[${position}].function.arguments`, wrong)
      if (unanswered.has(call.id)) {
        return unsupported(`${path}.tool_calls[${position}].id`, 'Another call of this message has the same id.')
      }
      unanswered.add(call.id)
    }
  }
  return unanswered.size === 0 ? null : unsupported('messages', 'Every tool call must be answered by its result.')
}

/** Checks the depth before parsing: a parser takes long over endless brackets. */
function argumentsFault(text: string): string | null {
  if (isTooDeep(text, MOST_LEVELS)) return `Arguments can be nested at most ${MOST_LEVELS} levels deep.`
  return parseJsonObject(text) === null ? 'Arguments must be a JSON object with this model.' : null
}

/** Returns the HTTP request for a model's provider, or what the model does not support in the request. Nothing is sent. */
export function encodeRequest(asked: ChatRequest, model: Model, verb: VerbName = 'chat'): EncodedRequest {
  const request = withoutDefaults(asked, model)
  const refused = conversationFault(request.messages, model) ?? unsupportedParameter(request, model)
  if (refused !== null) return { ok: false, unsupported: refused }
  const encoder = providerNamed(model.provider).verbs[verb]
  const named = model.capabilities.messageNames ? request.messages : writeNames(request.messages)
  const isPlaced =
    request.instructionsStay === true && encoder.takesNative === undefined && !model.capabilities.systemTurns
  return encoder.encode({ ...request, messages: isPlaced ? instructionsAsUser(named) : named }, model)
}
