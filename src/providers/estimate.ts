// Token counts where nobody told us: before a call, the most it can use, so that its cost can be reserved; and after one
// whose provider sent no usage, a guess, marked as one wherever it is shown.
import type { LookedUp, Usage } from './answer.ts'
import { byteLength } from './text.ts'
import type { Dialect, Model } from './catalogue.ts'
import { decodeText, markedPlaces, textDataOf, type ChatRequest, type Message } from './request.ts'

const BYTES_PER_TOKEN = 3 // English runs near 4 bytes a token; other languages and JSON are denser
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_600

/**
 * Tokens that a provider may add around a message (its role, its ends, the name of the tool that it answers), a call or a
 * file.
 */
const MOST_TOKENS_AROUND = 100
/** And around a request; more where it has tools or asks for a form, of which the provider instructs its model. */
const MOST_TOKENS_PER_REQUEST = 50
const MOST_TOKENS_OF_INSTRUCTIONS = 1_000
/**
 * JSON may be written anew: by the provider with spaces, with characters escaped, indented; and schemas here, with
 * objects closed and with members moved into texts. What a tool answers is JSON at Google.
 */
const MOST_BYTES_PER_BYTE_OF_JSON = 4
/** A page of a PDF is some 2,500 tokens in some 50,000 bytes. */
const PDF_BYTES_PER_TOKEN = 20
/** Thoughts come back sealed, and may be packed before that. */
const MOST_TOKENS_PER_BYTE_OF_THOUGHT = 4

export const guessTokens = (text: string): number => Math.ceil(byteLength(text) / BYTES_PER_TOKEN)

/**
 * The most tokens a text can be. The providers' tokenizers take it apart into pieces of one byte of UTF-8 at least; some
 * bring it into a composed form (NFC, NFKC) first. Either can be longer than the text and than the other: a single
 * character grows up to eleven times.
 */
export function mostTextTokens(text: string): number {
  const bytes = byteLength(text)
  const isAscii = bytes === text.length
  return isAscii ? bytes : Math.max(bytes, byteLength(text.normalize('NFC')), byteLength(text.normalize('NFKC')))
}

/** A guess at the tokens of what is sent. */
export function estimateInputTokens(request: ChatRequest): number {
  let tokens = guessTokens(JSON.stringify([request.tools ?? [], request.responseFormat ?? {}]))
  for (const message of request.messages) {
    tokens += TOKENS_PER_MESSAGE
    for (const part of message.content) tokens += guessPartTokens(part)
    for (const call of toolCallsOf(message)) tokens += guessTokens(call.name + call.arguments)
  }
  return tokens
}

/**
 * The most that a call can use before a token is written: what is sent, what the model may look up by itself and is then
 * sent too, at whatever kind of input is dearest; and the fees for looking up.
 */
export function mostUsageUpFront(request: ChatRequest, model: Model): Usage {
  const { search, usdPerMillion: prices, limits } = model
  const sent = Math.min(mostSentTokens(request, model), limits.contextTokens)
  const input = search === null ? sent : sent * search.steps + search.inputTokens
  return { ...NOTHING, [dearestInput(request, prices)]: input, feesMicrousd: search?.feesUsd ?? 0 }
}

/** Nothing is kept for an hour unless the request says so. */
function dearestInput(request: ChatRequest, prices: Model['usdPerMillion']): keyof Usage {
  const keptForHour = markedPlaces(request).some(({ mark }) => mark.ttl === '1h')
  if (keptForHour && prices.cacheWriteHour > Math.max(prices.cacheWrite, prices.input)) return 'cacheWriteHour'
  return prices.cacheWrite > prices.input ? 'cacheWrite' : 'inputUncached'
}

/** The most a call can use: the whole output limit for every choice. */
export function mostUsage(request: ChatRequest, model: Model): Usage {
  return { ...mostUsageUpFront(request, model), outputVisible: mostOutputTokens(request, model) }
}

export const mostOutputTokens = (request: ChatRequest, model: Model): number =>
  outputLimit(request, model) * (request.n ?? 1)

/** The output limit to send: the caller's or the organisation's, capped at what the model can write. */
export function outputLimit({ maxTokens }: ChatRequest, { limits }: Model): number {
  return maxTokens === undefined ? limits.maxOutputTokens : Math.min(maxTokens, limits.maxOutputTokens)
}

/**
 * Estimates the usage of a call whose provider reported none. `outputBytes`: all it wrote in UTF-8, tool arguments
 * included. `mostOutput`: what it was allowed to write.
 */
export function estimateUsage(inputTokens: number, outputBytes: number, mostOutput: number): Usage {
  const output = Math.min(Math.ceil(outputBytes / BYTES_PER_TOKEN), mostOutput)
  return { ...NOTHING, inputUncached: inputTokens, outputVisible: output }
}

/** The most that one search costs: a model that searches has made one before it writes. */
export function estimateSearch({ search }: Model): Pick<Usage, 'inputUncached' | 'feesMicrousd'> {
  if (search === null) return { inputUncached: 0, feesMicrousd: 0 }
  const { steps, inputTokens, feesUsd } = search
  return { inputUncached: Math.ceil(inputTokens / steps), feesMicrousd: Math.ceil(feesUsd / steps) }
}

/**
 * Estimates what a model has looked up by the texts that its provider told: never more than is reserved. Texts that it did not tell are
 * not in it.
 */
export function estimateLookedUp(
  { search }: Model,
  { times, bytes }: LookedUp,
): Pick<Usage, 'inputUncached' | 'feesMicrousd'> {
  if (search === null) return { inputUncached: 0, feesMicrousd: 0 }
  const { steps, inputTokens, feesUsd } = search
  return {
    inputUncached: Math.min(Math.ceil(bytes / BYTES_PER_TOKEN), inputTokens),
    feesMicrousd: Math.ceil((feesUsd * Math.min(times, steps)) / steps),
  }
}

const NOTHING: Usage = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible: 0,
  reasoning: 0,
  feesMicrousd: 0,
}

function mostSentTokens(
  { messages, tools = [], responseFormat = { type: 'text' } }: ChatRequest,
  { limits, wire }: Model,
): number {
  const isPlain = tools.length === 0 && responseFormat.type === 'text'
  const instructions = MOST_TOKENS_OF_INSTRUCTIONS + mostJsonTokens(JSON.stringify([tools, responseFormat]))
  let tokens = MOST_TOKENS_PER_REQUEST + (isPlain ? 0 : instructions)
  for (const message of messages) {
    tokens += MOST_TOKENS_AROUND
    if ('name' in message) tokens += mostTextTokens(message.name ?? '')
    if (message.role === 'tool') tokens += mostIdTokens(message.toolCallId)
    tokens += mostThoughtTokens(message, wire.dialect)
    const isJson = message.role === 'tool' && wire.dialect === 'gemini-generate'
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

function guessPartTokens(part: Message['content'][number]): number {
  if (part.type === 'text') return guessTokens(part.text)
  if (part.type === 'image') return TOKENS_PER_IMAGE
  return Math.max(TOKENS_PER_IMAGE, Math.ceil(part.url.length / PDF_BYTES_PER_TOKEN))
}

/** A PDF can hold far more text than it has bytes, and an address says nothing of its size: as much as there is room for. */
function mostPartTokens(part: Message['content'][number], { imageTokens, contextTokens }: Model['limits']): number {
  if (part.type === 'text') return mostTextTokens(part.text)
  if (part.type === 'image') return imageTokens
  const data = textDataOf(part.url)
  const text = data === null ? null : decodeText(data)
  if (text === null || text.length > contextTokens) return contextTokens
  return MOST_TOKENS_AROUND + mostTextTokens(text) + mostTextTokens(part.name ?? '')
}

/** Perplexity is given the signature of a call with the call, and with its result. */
function mostThoughtTokens(message: Message, dialect: Dialect): number {
  if (message.role !== 'assistant') return 0
  const { thinking = [], toolCalls = [], signature = '' } = message
  const sealed = thinking.map((block) => (block.type === 'thinking' ? block.thinking + block.signature : block.data))
  const copies = dialect === 'perplexity-agent' ? 2 : 1
  const signatures = toolCalls.map((call) => (call.signature ?? '').repeat(copies))
  return mostTextTokens([...sealed, ...signatures, signature].join('')) * MOST_TOKENS_PER_BYTE_OF_THOUGHT
}

/** Anthropic is sent the number of each character that it does not take in an id. */
const mostIdTokens = (id: string): number =>
  Math.max(mostTextTokens(id), id.replaceAll(/[^\w-]/g, LONGEST_CHARACTER_IN_ID).length)

const LONGEST_CHARACTER_IN_ID = '_65535_'

const mostJsonTokens = (json: string): number => mostTextTokens(json) * MOST_BYTES_PER_BYTE_OF_JSON

const toolCallsOf = (message: Message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])
