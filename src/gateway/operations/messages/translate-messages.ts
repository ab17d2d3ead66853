// Translates a Messages request into the form that every provider's verbs take. Keeps where each part stands, so that an error names
// it and a redacted text is written back.
import type {
  CacheMark,
  ChatRequest,
  MediaPart,
  Message,
  TextPart,
  ThinkingBlock,
  Tool,
  ToolCall,
} from '../../../providers/chat-request.ts'
import type {
  WireAssistantBlock,
  WireInstructions,
  WireMark,
  WireResultBlock,
  WireTurn,
  WireUserBlock,
} from './message-block.schema.ts'
import { SEARCH_TOOL, type WireMessages } from './messages-request.schema.ts'

/**
 * Where a message comes from. `turn`: its index, null for `system`. `result`: the block of a tool's result, null for other messages.
 * `parts` and `calls`: the block of each; -1 for a text that is the whole content, -2 for one that was added here.
 */
export type Origin = {
  readonly turn: number | null
  readonly result: number | null
  readonly parts: readonly number[]
  readonly calls: readonly number[]
}

export const WHOLE = -1
const ADDED = -2

type Conversation = { readonly messages: readonly Message[]; readonly origins: readonly Origin[] }

export function toConversation({ system, messages: turns }: Pick<WireMessages, 'system' | 'messages'>): Conversation {
  const placed: Placed[] = []
  if (system) placed.push(...toInstructions(system, null))
  for (const [turn, sent] of turns.entries()) placed.push(...toMessages(sent, turn))
  return { messages: placed.map(([message]) => message), origins: placed.map(([, origin]) => origin) }
}

type Placed = readonly [Message, Origin]

/** Each block is a message of its own, because some providers join the texts of one without a blank. */
const toInstructions = (content: WireInstructions, turn: number | null): Placed[] =>
  listBlocks(content).map(([block, at]) => [
    { role: 'system', content: [toText(block)] },
    { turn, result: null, parts: [at], calls: [] },
  ])

function toMessages({ role, content }: WireTurn, turn: number): Placed[] {
  if (role === 'system') return toInstructions(content, turn)
  return role === 'user' ? toUserMessages(content, turn) : [toAssistantMessage(content, turn)]
}

/** A tool's result is a message of its own, and follows its call at once. */
function toUserMessages(content: string | readonly WireUserBlock[], turn: number): Placed[] {
  const results: Placed[] = []
  const parts: (TextPart | MediaPart)[] = []
  const places: number[] = []
  for (const [block, at] of listBlocks<WireUserBlock>(content)) {
    if (block.type === 'tool_result') results.push(toResult(block, { turn, result: at }))
    else {
      const part = toPart(block)
      if (part === null) continue
      parts.push(part)
      places.push(at)
    }
  }
  if (parts.length === 0 && content.length > 0) return results
  return [
    ...results,
    [
      { role: 'user', content: parts },
      { turn, result: null, parts: places, calls: [] },
    ],
  ]
}

type WireResult = Extract<WireUserBlock, { type: 'tool_result' }>

function toResult(block: WireResult, place: Pick<Origin, 'turn' | 'result'>): Placed {
  const sent = listBlocks<WireResultBlock>(block.content ?? []).flatMap(([inner, at]) => {
    const part = toPart(inner)
    return part === null ? [] : [[part, at] as const]
  })
  const isFailed = block.is_error === true
  const said = isFailed ? [[ERROR, ADDED] as const, ...sent] : sent.length === 0 ? [[NOTHING, ADDED] as const] : sent
  return [
    {
      role: 'tool',
      toolCallId: block.tool_use_id,
      content: said.map(([part]) => part),
      cache: toMark(block.cache_control),
    },
    { ...place, parts: said.map(([, at]) => at), calls: [] },
  ]
}

/** Other providers have no mark for a failed result, and some take no empty one. */
const ERROR: TextPart = { type: 'text', text: 'Error: ' }
export const NOTHING: TextPart = { type: 'text', text: '(no content)' }

function toAssistantMessage(content: string | readonly WireAssistantBlock[], turn: number): Placed {
  const texts: TextPart[] = []
  const toolCalls: ToolCall[] = []
  const thinking: ThinkingBlock[] = []
  const parts: number[] = []
  const calls: number[] = []
  for (const [block, at] of listBlocks<WireAssistantBlock>(content)) {
    switch (block.type) {
      case 'text':
        texts.push(toText(block))
        parts.push(at)
        break
      case 'tool_use': {
        const { id, name, input, cache_control: mark } = block
        toolCalls.push({ id, name, arguments: JSON.stringify(input), cache: toMark(mark) })
        calls.push(at)
        break
      }
      case 'thinking':
        thinking.push({ type: 'thinking', thinking: block.thinking, signature: block.signature })
        break
      case 'redacted_thinking':
        thinking.push({ type: 'redacted_thinking', data: block.data })
    }
  }
  const said = { ...(toolCalls.length > 0 && { toolCalls }), ...(thinking.length > 0 && { thinking }) }
  return [
    { role: 'assistant', content: texts, ...said },
    { turn, result: null, parts, calls },
  ]
}

type TextBlock = { readonly type: 'text'; readonly text: string; readonly cache_control?: WireMark }

/** Returns the blocks with their places. A text is one block. */
function listBlocks<Block extends { type: string }>(content: string | readonly Block[]): [Block | TextBlock, number][] {
  if (typeof content === 'string') return [[{ type: 'text', text: content }, WHOLE]]
  return content.map((block, at) => [block, at])
}

export const toMark = (mark: WireMark): CacheMark | undefined => (mark ? { ttl: mark.ttl ?? '5m' } : undefined)

const toText = ({ text, cache_control: mark }: TextBlock): TextPart => ({ type: 'text', text, cache: toMark(mark) })

/** Returns null for a block that only a provider of this format reads. */
function toPart(block: WireResultBlock | TextBlock): TextPart | MediaPart | null {
  switch (block.type) {
    case 'text':
      return toText(block)
    case 'image':
      return { type: 'image', url: toUrl(block.source), cache: toMark(block.cache_control) }
    case 'document':
      return {
        type: 'file',
        url: toUrl(block.source),
        name: block.title ?? undefined,
        cache: toMark(block.cache_control),
      }
    case 'search_result':
      return null
  }
}

type Source = Extract<WireResultBlock, { type: 'image' | 'document' }>['source']

function toUrl(source: Source): string {
  if (source.type === 'url') return source.url
  const { media_type: type, data } = source
  return `data:${type};base64,${source.type === 'text' ? new TextEncoder().encode(data).toBase64() : data}`
}

/** Returns the request as a provider of this format gets it: what a model of another takes of it is decided later. */
export function toChatRequest(wire: WireMessages, messages: readonly Message[]): ChatRequest {
  const { tool_choice: choice, output_config: config, stop_sequences: stop, top_k: topK } = wire
  const format = config?.format ?? wire.output_format
  const tools = listTools(wire)
  return {
    messages,
    stream: wire.stream ?? undefined,
    tools: tools.map(([tool]) => tool),
    toolChoice: toToolChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    responseFormat: format ? { type: 'json_schema', name: 'answer', schema: format.schema, strict: true } : undefined,
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    maxTokens: wire.max_tokens,
    stop: stop ?? undefined,
    user: wire.metadata?.user_id ?? undefined,
    reasoningEffort: toEffort(wire),
    webSearch: wire.tools?.some(isSearch) === true ? {} : undefined,
    extraParameters: typeof topK === 'number' ? { top_k: topK } : undefined,
    instructionsStay: true,
  }
}

type WireTool = NonNullable<WireMessages['tools']>[number]

export const isSearch = ({ type }: WireTool): boolean => SEARCH_TOOL.test(type ?? '')

/** Returns the tools that a caller runs, each with its place. */
export const listTools = ({ tools }: Pick<WireMessages, 'tools'>): (readonly [Tool, number])[] =>
  [...(tools ?? []).entries()].flatMap(([at, tool]) => (isSearch(tool) ? [] : [[toTool(tool), at] as const]))

function toTool(tool: WireTool): Tool {
  const { name, cache_control: mark } = tool
  if (!isCustom(tool)) return { name, cache: toMark(mark) }
  const { description, input_schema: parameters, strict } = tool
  return { name, description: description ?? undefined, parameters, strict: strict ?? undefined, cache: toMark(mark) }
}

type CustomTool = Extract<WireTool, { input_schema: unknown }>

export const isCustom = (tool: WireTool): tool is CustomTool => (tool.type ?? 'custom') === 'custom'

function toToolChoice(choice: WireMessages['tool_choice']): ChatRequest['toolChoice'] {
  if (!choice) return undefined
  if (choice.type === 'tool') return { name: choice.name ?? '' }
  return choice.type === 'any' ? 'required' : choice.type
}

/** From these budgets of thinking on, an effort is at least low, medium, high. */
const BUDGETS = [
  [16_384, 'high'],
  [4_096, 'medium'],
  [0, 'low'],
] as const

function toEffort({ thinking, output_config: config }: WireMessages): ChatRequest['reasoningEffort'] {
  if (thinking?.type === 'disabled') return 'none'
  const { budget_tokens: budget } = thinking ?? {}
  return config?.effort ?? (budget ? BUDGETS.find(([least]) => budget >= least)?.[1] : undefined)
}
