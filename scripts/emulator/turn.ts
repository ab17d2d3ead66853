// What a request asks for and what the emulator decides to answer, in terms that belong to no provider.
// Each folder of formats/ reads its own wire shape into a Turn and writes an Answer back out.

import type { Cacheable } from './prompt-cache.ts'

export const PROVIDERS = ['openai', 'anthropic', 'google', 'perplexity'] as const
export type ProviderId = (typeof PROVIDERS)[number]

export type JsonObject = Record<string, unknown>

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** All text of the message: its parts, call arguments and tool results, joined with nothing between. */
  text: string
  /** Images and documents. */
  images: number
}

export interface Tool {
  name: string
  /** The JSON schema of the arguments. */
  parameters: unknown
}

/** Which tool must be called: none, the emulator's choice, any, or the one named. */
export type ToolChoice = { kind: 'none' | 'auto' | 'required' } | { kind: 'named'; name: string }

/** Whether the model thinks before it answers, and whether its thoughts can be read. */
export type Thinking = 'off' | 'hidden' | 'shown'

export interface Turn {
  /** As asked for, without a behaviour suffix. */
  model: string
  stream: boolean
  messages: Message[]
  choices: number
  maxOutputTokens: number | null
  stop: string[]
  tools: Tool[]
  toolChoice: ToolChoice
  parallelTools: boolean
  /** JSON schema of a structured answer, or null. */
  schema: unknown
  /** Any JSON object was asked for. */
  jsonObject: boolean
  /** A stream's usage was asked for; only OpenAI makes this optional. */
  includeUsage: boolean
  thinking: Thinking
  /** What of the prompt a cache may hold, or null. */
  cacheable: Cacheable | null
}

export interface ToolCall {
  id: string
  name: string
  arguments: JsonObject
}

type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal'

export interface Choice {
  text: string
  toolCalls: ToolCall[]
  finish: Finish
  /** The stop sequence that ended the text, or null. */
  stopSequence: string | null
}

export interface Thought {
  /** Empty where thoughts are hidden. */
  text: string
  isRedacted: boolean
}

/** Token counts; `input` includes what was read from and written to a cache, `visible` excludes reasoning. */
interface Usage {
  input: number
  cacheRead: number
  cacheWrite: number
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWriteForAnHour: number
  visible: number
  reasoning: number
}

export interface Answer {
  /** Counts up with every request, so that no two answers share an id. */
  serial: string
  createdSeconds: number
  /** What was thought before the first choice. */
  thoughts: Thought[]
  choices: Choice[]
  usage: Usage
}

/** The name every answer carries in its model field, so that none passes for a real model's. */
export function emulatedModel(model: string): string {
  return `${model}-emulated`
}
