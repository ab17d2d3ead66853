// Estimates token counts. Before a call: the most that it can use, so that its cost can be reserved. After a call without
// reported usage: a guess, which is marked as an estimate wherever it is shown.
import type { Searches, Usage } from './chat-answer.ts'
import { isJsonObject } from '../platform/json.ts'
import { byteLength } from './lossless-json.ts'
import type { Prices } from './catalogue.schema.ts'
import type { RoutedModel } from './provider.ts'
import { writtenOutBytes } from './json-schema/translate-schema.ts'
import { decodeText, listCacheMarks, textDataOf, toolsCalled, type ChatRequest, type Message } from './chat-request.ts'

const BYTES_PER_TOKEN = 3 // English has about 4 bytes a token; other languages and JSON are denser
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_600

/**
 * Tokens that a provider may add around a message (its role, its delimiters, the name of its tool), a call or a file.
 */
const MOST_TOKENS_AROUND = 100
/** Tokens added around a request. With tools or a response format, the provider also adds instructions. */
const MOST_TOKENS_PER_REQUEST = 50
const MOST_TOKENS_OF_INSTRUCTIONS = 1_000
/**
 * JSON may grow: the provider may add spaces, escapes and indentation. Schemas grow here, with closed objects and members moved
 * into texts. Google receives a tool's result as JSON.
 */
const MOST_BYTES_PER_BYTE_OF_JSON = 4
/** A page of a PDF has some 2,500 tokens in some 50,000 bytes. */
const PDF_BYTES_PER_TOKEN = 20
/** Providers return thoughts encrypted, and may compress them first. */
const MOST_TOKENS_PER_BYTE_OF_THOUGHT = 4

export const guessTokens = (text: string): number => Math.ceil(byteLength(text) / BYTES_PER_TOKEN)

/**
 * Returns the most tokens that a text can have. Tokenizers split it into pieces of at least one UTF-8 byte. Some normalise it
 * first (NFC, NFKC), which can make a single character up to eleven times longer.
 */
export function mostTextTokens(text: string): number {
  const bytes = byteLength(text)
  const isAscii = bytes === text.length
  return isAscii ? bytes : Math.max(bytes, byteLength(text.normalize('NFC')), byteLength(text.normalize('NFKC')))
}

export function estimateInputTokens(request: ChatRequest, model: RoutedModel): number {
  let tokens = guessTokens(JSON.stringify([request.tools ?? [], request.responseFormat ?? {}]))
  tokens += Math.ceil(writtenOut(request, model) / BYTES_PER_TOKEN)
  tokens += guessTokens(request.native?.unread ?? '')
  for (const message of request.messages) {
    tokens += TOKENS_PER_MESSAGE
    for (const part of message.content) tokens += guessPartTokens(part)
    for (const call of toolCallsOf(message)) tokens += guessTokens(call.name + call.arguments)
  }
  return tokens
}

/**
 * Returns the most that a call can use before it writes a token. That is the input and the results of its searches, at the
 * dearest kind of input, and the search fees.
 */
export function mostUsageUpFront(request: ChatRequest, model: RoutedModel, { usdPerMillion: prices }: Prices): Usage {
  const { search, limits } = model
  const sent = Math.min(mostSentTokens(request, model), limits.contextTokens)
  const input = search === null ? sent : sent * search.steps + search.inputTokens
  return { ...NO_USAGE, [dearestInput(request, prices)]: input, feesMicrousd: search?.feesUsd ?? 0 }
}

/** Only a mark in the request makes a provider cache for an hour. */
function dearestInput(request: ChatRequest, prices: Prices['usdPerMillion']): keyof Usage {
  const { body = {}, unread = '' } = request.native ?? {}
  const marks = [body['cache_control'], ...listCacheMarks(request).map(({ mark }) => mark)]
  const keptForHour = marks.some((mark) => isJsonObject(mark) && mark['ttl'] === '1h') || unread.includes('"ttl":"1h"')
  if (keptForHour && prices.cacheWriteHour > Math.max(prices.cacheWrite, prices.input)) return 'cacheWriteHour'
  return prices.cacheWrite > prices.input ? 'cacheWrite' : 'inputUncached'
}

/** Returns the most that a call can use: the whole output limit for every choice. */
export function mostUsage(request: ChatRequest, model: RoutedModel, prices: Prices): Usage {
  return { ...mostUsageUpFront(request, model, prices), outputVisible: mostOutputTokens(request, model) }
}

export const mostOutputTokens = (request: ChatRequest, model: RoutedModel): number =>
  outputLimit(request, model) * (request.n ?? 1)

/** Returns the output limit to send: the caller's or the organisation's, capped at the model's own. */
export const outputLimit = ({ maxTokens }: ChatRequest, { limits }: RoutedModel): number =>
  maxTokens === undefined ? limits.maxOutputTokens : Math.min(maxTokens, limits.maxOutputTokens)

/**
 * Estimates the usage of a call whose provider reported none. `outputBytes`: its output in UTF-8, with tool arguments.
 * `mostOutput`: its output limit in tokens.
 */
export function estimateUsage(inputTokens: number, outputBytes: number, mostOutput: number): Usage {
  const output = Math.min(Math.ceil(outputBytes / BYTES_PER_TOKEN), mostOutput)
  return { ...NO_USAGE, inputUncached: inputTokens, outputVisible: output }
}

/** Returns the highest usage of one search. A model that searches has made at least one before it writes. */
export function estimateOneSearch({ search }: RoutedModel): Pick<Usage, 'inputUncached' | 'feesMicrousd'> {
  if (search === null) return { inputUncached: 0, feesMicrousd: 0 }
  const { steps, inputTokens, feesUsd } = search
  return { inputUncached: Math.ceil(inputTokens / steps), feesMicrousd: Math.ceil(feesUsd / steps) }
}

/**
 * Estimates the cost of searches from the texts that the provider reported, never above the reserved amount. Texts that it did
 * not report are not counted.
 */
export function estimateReportedSearches(
  { search }: RoutedModel,
  { times, bytes }: Searches,
): Pick<Usage, 'inputUncached' | 'feesMicrousd'> {
  if (search === null) return { inputUncached: 0, feesMicrousd: 0 }
  const { steps, inputTokens, feesUsd } = search
  return {
    inputUncached: Math.min(Math.ceil(bytes / BYTES_PER_TOKEN), inputTokens),
    feesMicrousd: Math.ceil((feesUsd * Math.min(times, steps)) / steps),
  }
}

export const NO_USAGE: Usage = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible: 0,
  reasoning: 0,
  feesMicrousd: 0,
}

function mostSentTokens(request: ChatRequest, model: RoutedModel): number {
  const { limits, wire } = model
  const { messages, responseFormat = { type: 'text' } } = request
  // Anthropic gets the tools of earlier calls if there are no others.
  const tools = request.tools?.length ? request.tools : toolsCalled(request)
  let tokens = MOST_TOKENS_PER_REQUEST + mostJsonTokens(request.native?.unread ?? '')
  if (tools.length > 0 || responseFormat.type !== 'text') {
    tokens += writtenOut(request, model) * MOST_BYTES_PER_BYTE_OF_JSON
    tokens += MOST_TOKENS_OF_INSTRUCTIONS + mostJsonTokens(JSON.stringify([tools, responseFormat]))
  }
  for (const message of messages) {
    tokens += MOST_TOKENS_AROUND
    if ('name' in message) tokens += mostTextTokens(message.name ?? '')
    if (message.role === 'tool') tokens += mostIdTokens(message.toolCallId)
    tokens += mostThoughtTokens(message, wire.sends)
    const isJson = message.role === 'tool' && wire.sends.resultsAsJson === true
    for (const part of message.content) {
      tokens += isJson && part.type === 'text' ? mostJsonTokens(part.text) : mostPartTokens(part, limits)
    }
    for (const call of toolCallsOf(message)) {
      tokens += MOST_TOKENS_AROUND
      tokens += mostIdTokens(call.id) + mostTextTokens(call.name) + mostJsonTokens(call.arguments)
    }
  }
  return tokens
}

/** Returns the bytes by which schemas grow where references are written out. */
function writtenOut({ tools = [], responseFormat }: ChatRequest, { wire }: RoutedModel): number {
  if (wire.sends.schemasWrittenOut !== true) return 0
  const strict = tools.flatMap(({ parameters, strict: isStrict }) => (isStrict && parameters ? [parameters] : []))
  const schemas = responseFormat?.type === 'json_schema' ? [...strict, responseFormat.schema] : strict
  return schemas.reduce((sum, schema) => sum + writtenOutBytes(schema), 0)
}

function guessPartTokens(part: Message['content'][number]): number {
  if (part.type === 'text') return guessTokens(part.text)
  if (part.type === 'image') return TOKENS_PER_IMAGE
  return Math.max(TOKENS_PER_IMAGE, Math.ceil(part.url.length / PDF_BYTES_PER_TOKEN))
}

/** A PDF can contain far more text than bytes, and a URL has no size: the whole context is assumed. */
function mostPartTokens(
  part: Message['content'][number],
  { imageTokens, contextTokens }: RoutedModel['limits'],
): number {
  if (part.type === 'text') return mostTextTokens(part.text)
  if (part.type === 'image') return imageTokens
  const data = textDataOf(part.url)
  const text = data === null ? null : decodeText(data)
  if (text === null || text.length > contextTokens) return contextTokens
  return MOST_TOKENS_AROUND + mostTextTokens(text) + mostTextTokens(part.name ?? '')
}

function mostThoughtTokens(message: Message, { signaturesTwice }: RoutedModel['wire']['sends']): number {
  if (message.role !== 'assistant') return 0
  const { thinking = [], toolCalls = [], signature = '' } = message
  const sealed = thinking.map((block) => (block.type === 'thinking' ? block.thinking + block.signature : block.data))
  const copies = signaturesTwice === true ? 2 : 1
  const signatures = toolCalls.map((call) => (call.signature ?? '').repeat(copies))
  return mostTextTokens([...sealed, ...signatures, signature].join('')) * MOST_TOKENS_PER_BYTE_OF_THOUGHT
}

/** In an id, each character that Anthropic does not accept is replaced by its number. */
const mostIdTokens = (id: string): number =>
  Math.max(mostTextTokens(id), id.replaceAll(/[^\w-]/g, LONGEST_CHARACTER_IN_ID).length)

const LONGEST_CHARACTER_IN_ID = '_65535_'

const mostJsonTokens = (json: string): number => mostTextTokens(json) * MOST_BYTES_PER_BYTE_OF_JSON

const toolCallsOf = (message: Message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])
