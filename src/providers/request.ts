// One chat request as every provider is asked it, whatever its wire format. The gateway and the readers build it; the
// adapters translate it. Names follow the chat-completions standard, in camelCase.
import type { Capabilities } from './catalogue.schema.ts'
import type { JsonObject } from './json.ts'

export type TextPart = { readonly type: 'text'; readonly text: string }

export type ImagePart = {
  readonly type: 'image'
  /** `https://…` or `data:image/…;base64,…`. Nothing is ever fetched here. */
  readonly url: string
  readonly detail?: 'auto' | 'low' | 'high' | undefined
}

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** A JSON object as text, as the standard has it. */
  readonly arguments: string
  /** Gemini's opaque thought signature, to be handed back with the call in the next turn. */
  readonly signature?: string | undefined
}

type InstructionMessage<Role extends 'system' | 'developer'> = {
  readonly role: Role
  readonly content: readonly TextPart[]
  readonly name?: string | undefined
}

export type Message =
  | InstructionMessage<'system'>
  | InstructionMessage<'developer'>
  | { readonly role: 'user'; readonly content: readonly (TextPart | ImagePart)[]; readonly name?: string | undefined }
  | {
      readonly role: 'assistant'
      readonly content: readonly TextPart[]
      readonly toolCalls?: readonly ToolCall[] | undefined
      readonly name?: string | undefined
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: readonly TextPart[] }

type Tool = {
  readonly name: string
  readonly description?: string | undefined
  /** A JSON Schema; absent means no arguments. */
  readonly parameters?: JsonObject | undefined
  readonly strict?: boolean | undefined
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
  /** Standard parameters only some models have, under their standard names, e.g. `frequency_penalty`. */
  readonly extraParameters?: JsonObject | undefined
}

/** Builds a message of plain text. */
export function textMessage(role: 'system' | 'developer' | 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] }
}

export function joinText(parts: readonly TextPart[]): string {
  return parts.map((part) => part.text).join('')
}

/** A parsed image address, or null for any other scheme or encoding. */
export function parseImageUrl(
  url: string,
): { source: 'https' } | { source: 'data'; mediaType: string; base64: string } | null {
  if (url.startsWith('https://')) return { source: 'https' }
  const prefix = /^data:(image\/[a-z0-9.+-]{1,40});base64,/.exec(url)
  if (prefix === null) return null
  return { source: 'data', mediaType: prefix[1] ?? '', base64: url.slice(prefix[0].length) }
}
