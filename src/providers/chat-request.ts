// A chat request in one form for every provider, and helpers that read it: turns, cache marks, media URLs. The gateway and the
// readers build it; each provider translates it. Names follow the chat-completions standard, in camelCase.
import type { JsonObject } from '../platform/json.ts'
import type { Capabilities } from './catalogue.schema.ts'

/** Asks the provider to cache the prompt up to here, for five minutes or an hour. Only Anthropic needs such a mark. */
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
  /** A JSON object as text, as in the standard; any text if the tool takes free text. */
  readonly arguments: string
  /** True if the tool takes free text. */
  readonly isCustom?: true | undefined
  /** Gemini's opaque thought signature, which must be sent back with the call in the next turn. */
  readonly signature?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** A step of a model's reasoning, opaque to everybody else, which must be sent back unchanged in the next turn. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

type InstructionMessage<Role extends 'system' | 'developer'> = {
  readonly role: Role
  readonly content: readonly TextPart[]
  readonly name?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** A message. Its `cache` marks its end. */
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
  /** There if the tool takes free text, with the grammar that the text must follow, if there is one. */
  readonly custom?: { readonly format?: CustomFormat | undefined } | undefined
  readonly cache?: CacheMark | undefined
}

export type CustomFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: 'lark' | 'regex'; readonly definition: string }

export type WebSearch = {
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined
  /** The standard's members: `country` (ISO 3166), `city`, `region`, `timezone` (IANA). */
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
  /** `max_completion_tokens`, or the older `max_tokens`; capped at the model's own limit. */
  readonly maxTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly n?: number | undefined
  readonly seed?: number | undefined
  readonly user?: string | undefined
  readonly reasoningEffort?: ReasoningEffort | undefined
  readonly webSearch?: WebSearch | undefined
  /** False: the provider adds no padding to stream events. Only OpenAI adds any by default. */
  readonly padding?: false | undefined
  /** True to have the provider cache long instructions if the caller has marked nothing. */
  readonly cacheInstructions?: boolean | undefined
  /** The caller's name for prompts that share a cache. Never sent as it is. */
  readonly cacheKey?: string | undefined
  /** The name that is sent instead: no other organisation can have the same. */
  readonly cacheGroup?: string | undefined
  /** Parameters of the standard that only some models have, under their standard names, e.g. `frequency_penalty`. */
  readonly extraParameters?: JsonObject | undefined
  /** True: instructions within the conversation keep their place. A model that takes none there reads them as texts of the user. */
  readonly instructionsStay?: true | undefined
  /** Stop sequences that are applied here, because the model has none. */
  readonly stopHere?: readonly string[] | undefined
  readonly native?: NativeRequest | undefined
  /** What two requests may differ in that are the same otherwise, such as a client's tries after a refusal. */
  readonly variant?: JsonObject | undefined
}

/** A request in Anthropic's own format. A provider of that format is sent it as it came; everybody else reads the rest of the request. */
export type NativeRequest = {
  readonly body: JsonObject
  /** The same as it came. Absent where its texts were replaced: then the body is written anew. */
  readonly bytes?: Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The members that nobody here reads, as JSON, for the scans. Empty if there is none. */
  readonly unread: string
}

export function textMessage(role: 'system' | 'developer' | 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] }
}

/** Returns all text of the parts; pictures and files have none. */
export const joinText = (parts: readonly (TextPart | MediaPart)[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

export const isInstruction = (
  message: Message,
): message is InstructionMessage<'system'> | InstructionMessage<'developer'> =>
  message.role === 'system' || message.role === 'developer'

/** Writes instructions that come after the conversation has begun as texts of the user, at their place. */
export function instructionsAsUser(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  return messages.map((message, at) => {
    if (at < first || !isInstruction(message)) return message
    const content = message.content.map((part) => ({ ...part, text: asReminder(part.text) }))
    return { role: 'user', content, cache: message.cache }
  })
}

/** The form in which Claude's own clients give a model instructions within a user's turn. */
export const asReminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

type Turn<Part> = { role: 'user' | 'assistant'; parts: Part[] }

/** Returns the conversation as alternating turns, without instructions. Merges neighbours of one role, drops empty turns. */
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

/** Returns the last message that is no instruction: most providers take instructions elsewhere. */
export const lastConversationMessage = ({ messages }: ChatRequest): Message | undefined =>
  messages.findLast((message) => !isInstruction(message))

/** A cache mark, and the member that has it. */
type PlacedCacheMark = { readonly path: string; readonly mark: CacheMark }

/** Returns the caller's cache marks in the order in which prompts are cached: tools, instructions, conversation. */
export function listCacheMarks({ tools = [], messages }: ChatRequest): PlacedCacheMark[] {
  const ofTools = tools.flatMap(({ cache }, at) => toPlacedMark(`tools[${at}]`, cache))
  const placed = messages.map((message, at) => ({ message, path: `messages[${at}]` }))
  const instructions = placed.filter(({ message }) => isInstruction(message))
  const conversation = placed.filter(({ message }) => !isInstruction(message))
  const ofMessages = [...instructions, ...conversation].flatMap(({ message, path }) =>
    message.content
      .flatMap(({ cache }, at) => toPlacedMark(`${path}.content[${at}]`, cache))
      .concat(callsOf(message).flatMap(({ cache }, at) => toPlacedMark(`${path}.tool_calls[${at}]`, cache)))
      .concat(toPlacedMark(path, message.cache)),
  )
  return [...ofTools, ...ofMessages]
}

const callsOf = (message: Message): readonly ToolCall[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []) : []

const toPlacedMark = (path: string, mark: CacheMark | undefined): PlacedCacheMark[] =>
  mark === undefined ? [] : [{ path: `${path}.cache_control`, mark }]

/** Returns a tool for each name that the calls of the conversation have, without a description. */
export const toolsCalled = ({ messages }: ChatRequest): Tool[] =>
  [...new Set(messages.flatMap(callsOf).map(({ name }) => name))].map((name) => ({ name }))

type MediaUrl = { source: 'https' } | { source: 'data'; mediaType: string; base64: string }

/** Skips parameters of the type: browsers add `charset`, others a file name. */
const DATA_PREFIX = /^data:([a-z]{1,20}\/[a-z0-9.+-]{1,80})(?:;[\w-]{1,40}=[^;,"]{0,200}){0,8};base64,/i

/** Wrong types that programs derive from file extensions. */
const ALIASES: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg' }

/**
 * Parses the URL of a picture or a file; returns null for any other scheme or encoding.
 * @see https://www.rfc-editor.org/rfc/rfc2397
 */
export function parseMediaUrl(url: string): MediaUrl | null {
  if (url.startsWith('https://')) return { source: 'https' }
  const prefix = DATA_PREFIX.exec(url)
  if (prefix === null) return null
  const mediaType = (prefix[1] ?? '').toLowerCase()
  return { source: 'data', mediaType: ALIASES[mediaType] ?? mediaType, base64: url.slice(prefix[0].length) }
}

/** Parses the URL of a picture; returns null for anything else. */
export function parseImageUrl(url: string): MediaUrl | null {
  const media = parseMediaUrl(url)
  return media?.source === 'data' && !media.mediaType.startsWith('image/') ? null : media
}

/** Returns the base64 of a text file, which is sent as text; null for any other URL. */
export function textDataOf(url: string): string | null {
  const media = parseMediaUrl(url)
  return media?.source === 'data' && media.mediaType.startsWith('text/') ? media.base64 : null
}

/** Returns null if the data is not UTF-8 or not base64. */
export function decodeText(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(base64))
  } catch {
    return null
  }
}
