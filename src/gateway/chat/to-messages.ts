// The caller's messages as the adapters take them. A function of the older form is a tool with one call at most.
import type { Message, TextPart, ThinkingBlock, ToolCall } from '../../providers/request.ts'
import type { WireAssistantMessage } from './assistant-message.schema.ts'
import type { CacheControl, WireContent } from './chat-content.schema.ts'
import type { WireMessage } from './chat-message.schema.ts'

export function toMessages(messages: readonly WireMessage[]): Message[] {
  let called: { id: string; name: string } | null = null
  return messages.map((message, at) => {
    if (message.role === 'assistant' && message.function_call) {
      called = { id: legacyCallId(at), name: message.function_call.name }
    }
    if (message.role !== 'function') return toMessage(message, at)
    const toolCallId = called?.name === message.name ? called.id : ''
    return { role: 'tool', toolCallId, content: [{ type: 'text', text: message.content ?? '' }] }
  })
}

/** A function's call has no id of its own. */
const legacyCallId = (at: number): string => `function_call_${at}`

function toMessage(message: Exclude<WireMessage, { role: 'function' }>, at: number): Message {
  switch (message.role) {
    case 'system':
    case 'developer': {
      const content = toTexts(message.content)
      return { role: message.role, content, name: message.name ?? undefined, cache: endMark(message, content) }
    }
    case 'user': {
      const content = toParts(message.content)
      return { role: 'user', content, name: message.name ?? undefined, cache: endMark(message, content) }
    }
    case 'assistant':
      return toAssistantMessage(message, at)
    case 'tool': {
      const content = toParts(message.content)
      return { role: 'tool', toolCallId: message.tool_call_id, content, cache: endMark(message, content) }
    }
  }
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

function toAssistantMessage(message: WireAssistantMessage, at: number): AssistantMessage {
  const content = toSaid(message)
  const calls = toCalls(message, at)
  const extra = findExtra(message)
  const signed = toSigned(calls, content, extra?.google?.thought_signature)
  return {
    role: 'assistant',
    content,
    ...signed,
    thinking: toThinking(extra?.anthropic?.thinking_blocks ?? message.thinking_blocks),
    name: message.name ?? undefined,
    cache: endMark(message, calls.length === 0 ? content : calls),
  }
}

/** Some clients keep a call's signature on the message and send it back there. Where the message has no text, it is the call's. */
function toSigned(
  calls: readonly ToolCall[],
  content: readonly TextPart[],
  signature: string | undefined,
): Pick<AssistantMessage, 'toolCalls' | 'signature'> {
  const [first, ...others] = calls
  if (first === undefined) return { signature }
  const isOfFirst = first.signature === undefined && content.every(({ text }) => text === '')
  if (isOfFirst && signature !== undefined) return { toolCalls: [{ ...first, signature }, ...others] }
  return { toolCalls: calls, signature: calls.some((call) => call.signature === signature) ? undefined : signature }
}

/** A refusal counts as the text of the message. */
function toSaid({ content, refusal }: WireAssistantMessage): readonly TextPart[] {
  const said =
    typeof content === 'string'
      ? toText(content)
      : (content ?? []).map((part): TextPart => ({
          type: 'text',
          text: part.type === 'text' ? part.text : part.refusal,
          cache: toMark(part.cache_control),
        }))
  return refusal ? [...said, { type: 'text', text: refusal }] : said
}

function findExtra(message: WireAssistantMessage): WireAssistantMessage['extra_content'] {
  const places = [message, ...(Array.isArray(message.content) ? message.content : [])]
  for (const { extra_content: extra, provider_specific_fields: fields } of places) {
    const found = extra ?? fields?.extra_content
    if (found) return found
  }
  return null
}

function toCalls({ tool_calls: calls, function_call: called }: WireAssistantMessage, at: number): ToolCall[] {
  if (called) return [{ id: legacyCallId(at), name: called.name, arguments: toArguments(called.arguments) }]
  return (calls ?? []).map(
    ({ id, function: { name, arguments: text }, extra_content: extra, cache_control: mark }) => ({
      id,
      name,
      arguments: toArguments(text),
      signature: extra?.google.thought_signature,
      cache: toMark(mark),
    }),
  )
}

/** Some models write nothing where there are no arguments. */
const toArguments = (text: string | null | undefined): string => (text?.trim() ? text : '{}')

function toThinking(blocks: WireAssistantMessage['thinking_blocks']): AssistantMessage['thinking'] {
  if (!blocks || blocks.length === 0) return undefined
  return blocks
    .toSorted((first, second) => (first.index ?? 0) - (second.index ?? 0))
    .map((block): ThinkingBlock =>
      block.type === 'thinking'
        ? { type: 'thinking', thinking: block.thinking ?? '', signature: block.signature }
        : { type: 'redacted_thinking', data: block.data },
    )
}

const toText = (text: string): TextPart[] => [{ type: 'text', text }]

type TextContent = Extract<WireMessage, { role: 'system' }>['content']

const toTexts = (content: TextContent): readonly TextPart[] =>
  typeof content === 'string'
    ? toText(content)
    : content.map(({ text, cache_control: mark }) => ({ type: 'text', text, cache: toMark(mark) }))

type Parts = Extract<Message, { role: 'user' }>['content']

function toParts(content: WireContent): Parts {
  if (typeof content === 'string') return toText(content)
  return content.map((part) => {
    const cache = toMark(part.cache_control)
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text, cache }
      case 'image_url':
        return { type: 'image', url: part.image_url.url, detail: part.image_url.detail ?? undefined, cache }
      case 'file':
        return { type: 'file', url: part.file.file_data, name: part.file.filename ?? undefined, cache }
    }
  })
}

/** Of a part, a call or a tool. */
export const toMark = (control: CacheControl): TextPart['cache'] => (control ? { ttl: control.ttl ?? '5m' } : undefined)

/** Where a message ends, unless the part that it ends with has a mark of its own. */
const endMark = (
  message: { cache_control?: CacheControl },
  ending: readonly Pick<TextPart, 'cache'>[],
): TextPart['cache'] => (ending.at(-1)?.cache === undefined ? toMark(message.cache_control) : undefined)
