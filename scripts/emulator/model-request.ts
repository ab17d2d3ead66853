// The emulator's types for a request (ModelRequest) and its answer (Answer), independent of a provider. Each format converts its
// own JSON to a ModelRequest, and an Answer to its own JSON.

export type JsonObject = Record<string, unknown>

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** All text of the message: its parts, call arguments and tool results, joined without a separator. */
  text: string
  /** Number of images and documents. */
  images: number
}

export interface Tool {
  name: string
  /** The JSON schema of the arguments. */
  parameters: unknown
  /** True if it is called with free text. */
  isCustom?: boolean
}

/** The end of a prompt's block. The prompt may be cached up to here. */
export interface CachePoint {
  /** The hash of the prompt up to here. */
  prefix: string
  /** The tokens of the prompt up to here. */
  tokens: number
  /** The time for which the caller wants the prompt cached; null without a mark. */
  mark: '5m' | '1h' | null
}

export interface ModelRequest {
  /** The requested model, without a behaviour suffix. */
  model: string
  isStreamed: boolean
  messages: Message[]
  choices: number
  maxOutputTokens: number | null
  stop: string[]
  tools: Tool[]
  /** The tool that must be called: none, the emulator's choice, any, or the named one. */
  toolChoice: { kind: 'none' | 'auto' | 'required' } | { kind: 'named'; name: string }
  parallelTools: boolean
  /** JSON schema of a structured answer, or null. */
  schema: unknown
  /** True if the request accepts any JSON object. */
  jsonObject: boolean
  /** True if the stream's usage was requested, which only OpenAI makes optional. */
  includeUsage: boolean
  /** `hidden`: the model thinks, and its thoughts have no text. */
  thinking: 'off' | 'hidden' | 'shown'
  /** The ends of the blocks of a prompt with cache marks; empty without marks. */
  cachePoints: readonly CachePoint[]
}

/** The default values of a request. */
export const PLAIN_REQUEST: Omit<ModelRequest, 'model' | 'isStreamed' | 'messages'> = {
  choices: 1,
  maxOutputTokens: null,
  stop: [],
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelTools: true,
  schema: null,
  jsonObject: false,
  includeUsage: true,
  thinking: 'off',
  cachePoints: [],
}

export interface ToolCall {
  id: string
  name: string
  arguments: JsonObject
  /** The free text of the call, for a tool that takes one. */
  input?: string
}

export interface Choice {
  text: string
  toolCalls: ToolCall[]
  finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal'
  /** The stop sequence that ended the text, or null. */
  stopSequence: string | null
}

export interface Answer {
  /** A number that increases with every request, so that no two answers share an id. */
  serial: string
  createdSeconds: number
  /** Thoughts before the first choice; their text is empty if thoughts are hidden. */
  thoughts: { text: string; isRedacted: boolean }[]
  choices: Choice[]
  /** Token counts. `input` includes cached tokens, `visible` excludes reasoning. */
  usage: {
    input: number
    cacheRead: number
    cacheWrite: number
    /** The part of `cacheWrite` that is cached for an hour. */
    cacheWriteForAnHour: number
    visible: number
    reasoning: number
  }
}

/** Returns an opaque signature for a thought or a call, as providers send them. Nothing checks it when it is sent back. */
export function signatureOf(place: string): string {
  return Buffer.from(`emulator ${place}`).toString('base64')
}
