// One chat request as every provider is asked it, whatever its wire format. The gateway and the readers build it; the
// adapters translate it. Names follow the chat-completions standard, in camelCase.
import type { JsonObject } from '../platform/json.ts'
import type { Capabilities } from './catalogue.ts'

/** The provider is to cache the prompt up to here, for five minutes or an hour. Only Anthropic needs to be told. */
export type CacheMark = { readonly ttl: '5m' | '1h' }

export type TextPart = { readonly type: 'text'; readonly text: string; readonly cache?: CacheMark | undefined }

export type ImagePart = {
  readonly type: 'image'
  /** `https://…` or `data:image/…;base64,…`. Nothing is ever fetched here. */
  readonly url: string
  readonly detail?: 'auto' | 'low' | 'high' | undefined
  readonly cache?: CacheMark | undefined
}

export type FilePart = {
  readonly type: 'file'
  /** `https://…` or `data:TYPE;base64,…`. Nothing is ever fetched here. */
  readonly url: string
  readonly name?: string | undefined
  readonly cache?: CacheMark | undefined
}

export type MediaPart = ImagePart | FilePart

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** A JSON object as text, as the standard has it. */
  readonly arguments: string
  /** Gemini's opaque thought signature, to be handed back with the call in the next turn. */
  readonly signature?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** A step of a model's reasoning, opaque to everybody else, to be handed back unchanged in the next turn. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

type InstructionMessage<Role extends 'system' | 'developer'> = {
  readonly role: Role
  readonly content: readonly TextPart[]
  readonly name?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** Its `cache` marks where it ends. */
export type Message =
  | InstructionMessage<'system'>
  | InstructionMessage<'developer'>
  | {
      readonly role: 'user'
      readonly content: readonly (TextPart | MediaPart)[]
      readonly name?: string | undefined
      readonly cache?: CacheMark | undefined
    }
  | {
      readonly role: 'assistant'
      readonly content: readonly TextPart[]
      readonly toolCalls?: readonly ToolCall[] | undefined
      /** Thinking of Anthropic's models before their answer. */
      readonly thinking?: readonly ThinkingBlock[] | undefined
      /** Gemini's thought signature of the text. */
      readonly signature?: string | undefined
      readonly name?: string | undefined
      readonly cache?: CacheMark | undefined
    }
  | {
      readonly role: 'tool'
      readonly toolCallId: string
      readonly content: readonly (TextPart | MediaPart)[]
      readonly cache?: CacheMark | undefined
    }

export type Tool = {
  readonly name: string
  readonly description?: string | undefined
  /** A JSON Schema; absent means no arguments. */
  readonly parameters?: JsonObject | undefined
  readonly strict?: boolean | undefined
  readonly cache?: CacheMark | undefined
}

/** The options of a web search. */
export type WebSearch = {
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined
  /** As the standard has it: `country` (ISO 3166), `city`, `region`, `timezone` (IANA). */
  readonly location?:
    | Readonly<Partial<Record<'country' | 'city' | 'region' | 'timezone', string | undefined>>>
    | undefined
}

type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly schema: JsonObject
      readonly description?: string | undefined
      readonly strict?: boolean | undefined
    }

type ReasoningEffort = Capabilities['reasoningEfforts'][number]

export type ChatRequest = {
  readonly messages: readonly Message[]
  readonly stream?: boolean | undefined
  readonly tools?: readonly Tool[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  readonly parallelToolCalls?: boolean | undefined
  readonly responseFormat?: ResponseFormat | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  /** `max_completion_tokens`, or the older `max_tokens`; capped at what the model can write. */
  readonly maxTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly n?: number | undefined
  readonly seed?: number | undefined
  readonly user?: string | undefined
  readonly reasoningEffort?: ReasoningEffort | undefined
  readonly webSearch?: WebSearch | undefined
  /** False: the provider pads no events of a stream. Only OpenAI does, unless it is told not to. */
  readonly padding?: false | undefined
  /** True if the provider caches long instructions although the caller has marked nothing. */
  readonly cacheInstructions?: boolean | undefined
  /** The caller's name for prompts that share a cache. Never sent as it is. */
  readonly cacheKey?: string | undefined
  /** The key that is sent instead: no other organisation can have the same. */
  readonly cacheGroup?: string | undefined
  /** Standard parameters only some models have, under their standard names, e.g. `frequency_penalty`. */
  readonly extraParameters?: JsonObject | undefined
}

/** Builds a message of plain text. */
export function textMessage(role: 'system' | 'developer' | 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] }
}

/** All of its text; pictures and files have none. */
export function joinText(parts: readonly (TextPart | MediaPart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export const isInstruction = (
  message: Message,
): message is InstructionMessage<'system'> | InstructionMessage<'developer'> =>
  message.role === 'system' || message.role === 'developer'

type Turn<Part> = { role: 'user' | 'assistant'; parts: Part[] }

/** The conversation as turns that alternate, without instructions: neighbours of one role are one turn, empty turns none. */
export function turnsOf<Part>(
  messages: readonly Message[],
  encode: (message: Message) => readonly Part[],
): Turn<Part>[] {
  const turns: Turn<Part>[] = []
  for (const message of messages) {
    if (isInstruction(message)) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const parts = encode(message)
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) turns.push({ role, parts: [...parts] })
  }
  return turns
}

/** Instructions go elsewhere at most providers. */
export const lastTurn = ({ messages }: ChatRequest): Message | undefined =>
  messages.findLast((message) => !isInstruction(message))

/** A mark, and the member that holds it. */
type MarkedPlace = { readonly path: string; readonly mark: CacheMark }

/** The caller's cache marks, in the order in which prompts are cached: tools, instructions, conversation. */
export function markedPlaces({ tools = [], messages }: ChatRequest): MarkedPlace[] {
  const ofTools = tools.flatMap(({ cache }, at) => toPlace(`tools[${at}]`, cache))
  const placed = messages.map((message, at) => ({ message, path: `messages[${at}]` }))
  const instructions = placed.filter(({ message }) => isInstruction(message))
  const conversation = placed.filter(({ message }) => !isInstruction(message))
  const ofMessages = [...instructions, ...conversation].flatMap(({ message, path }) =>
    message.content
      .flatMap(({ cache }, at) => toPlace(`${path}.content[${at}]`, cache))
      .concat(callsOf(message).flatMap(({ cache }, at) => toPlace(`${path}.tool_calls[${at}]`, cache)))
      .concat(toPlace(path, message.cache)),
  )
  return [...ofTools, ...ofMessages]
}

const callsOf = (message: Message): readonly ToolCall[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []) : []

const toPlace = (path: string, mark: CacheMark | undefined): MarkedPlace[] =>
  mark === undefined ? [] : [{ path: `${path}.cache_control`, mark }]

type MediaUrl = { source: 'https' } | { source: 'data'; mediaType: string; base64: string }

/** Parameters of the type are passed over: browsers write `charset`, others a file's name. */
const DATA_PREFIX = /^data:([a-z]{1,20}\/[a-z0-9.+-]{1,80})(?:;[\w-]{1,40}=[^;,"]{0,200}){0,8};base64,/i

/** Types that programs make of the end of a file's name. */
const ALIASES: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg' }

/** A parsed address of a picture or a file, or null for any other scheme or encoding. */
export function parseMediaUrl(url: string): MediaUrl | null {
  if (url.startsWith('https://')) return { source: 'https' }
  const prefix = DATA_PREFIX.exec(url)
  if (prefix === null) return null
  const mediaType = (prefix[1] ?? '').toLowerCase()
  return { source: 'data', mediaType: ALIASES[mediaType] ?? mediaType, base64: url.slice(prefix[0].length) }
}

/** The same, of a picture alone. */
export function parseImageUrl(url: string): MediaUrl | null {
  const media = parseMediaUrl(url)
  return media?.source === 'data' && !media.mediaType.startsWith('image/') ? null : media
}

/** The base64 of a file whose type is some text, which is sent as text; null of any other address. */
export function textDataOf(url: string): string | null {
  const media = parseMediaUrl(url)
  return media?.source === 'data' && media.mediaType.startsWith('text/') ? media.base64 : null
}

/** null where it is no UTF-8, or no base64. */
export function decodeText(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(base64))
  } catch {
    return null
  }
}
