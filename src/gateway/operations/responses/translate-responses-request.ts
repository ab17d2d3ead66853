// Translates a Responses request into the form that providers’ verbs take, and returns where each message and tool came from.
import type {
  ChatRequest,
  Message,
  ResponseFormat,
  TextPart,
  ThinkingBlock,
  ToolCall,
} from '../../../providers/chat-request.ts'
import { toSchemaFormat, makeWebSearch } from '../chat/translate-chat-request.ts'
import { decodeReasoning, type CarriedReasoning } from './item-writers.ts'
import type { WireInputPart, WireItem } from './input-item.schema.ts'
import { findNamed, sentName, sentTools, type ListedTools } from './list-tools.ts'
import type { WireResponsesRequest } from './responses-request.schema.ts'

/** The member that declares each tool that is sent, and the one that asks for a web search. */
export type ToolOrigins = { readonly functions: readonly string[]; readonly webSearch: string | null }

export function toChatRequest(
  wire: WireResponsesRequest,
  { messages }: Conversation,
  { tools, searches }: ListedTools,
): ChatRequest {
  const allowed = allowedTools(wire, tools)
  const webSearch = searches[0]?.tool
  return {
    messages,
    stream: wire.stream ?? undefined,
    ...(allowed.length > 0 ? { tools: sentTools(allowed) } : {}),
    ...toToolUse(wire, tools),
    responseFormat: toResponseFormat(wire.text?.format),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    maxTokens: wire.max_output_tokens ?? undefined,
    user: wire.safety_identifier || wire.user || undefined,
    cacheKey: wire.prompt_cache_key || undefined,
    reasoningEffort: wire.reasoning?.effort ?? undefined,
    webSearch: webSearch && makeWebSearch(webSearch.search_context_size, webSearch.user_location),
    padding: wire.stream_options?.include_obfuscation ?? undefined,
    extraParameters: wire.text?.verbosity ? { verbosity: wire.text.verbosity } : undefined,
  }
}

/** A model never sees tools that it may not call in this turn. */
function allowedTools({ tool_choice: choice }: WireResponsesRequest, tools: ListedTools['tools']) {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return tools
  const allowed = new Set(choice.tools.flatMap((named) => findNamed(tools, named)))
  return tools.filter((listed) => allowed.has(listed))
}

export function findToolOrigins(wire: WireResponsesRequest, { tools, searches }: ListedTools): ToolOrigins {
  return { functions: allowedTools(wire, tools).map(({ path }) => path), webSearch: searches[0]?.path ?? null }
}

function toToolUse(
  { tool_choice: choice, parallel_tool_calls: isParallel }: WireResponsesRequest,
  tools: ListedTools['tools'],
) {
  const parallelToolCalls = isParallel ?? undefined
  if (typeof choice !== 'object' || choice === null) return { toolChoice: choice ?? undefined, parallelToolCalls }
  if (choice.type === 'allowed_tools') return { toolChoice: choice.mode, parallelToolCalls }
  const [named] = findNamed(tools, choice)
  return { toolChoice: { name: named?.tool.name ?? choice.name }, parallelToolCalls }
}

function toResponseFormat(format: NonNullable<WireResponsesRequest['text']>['format']): ResponseFormat | undefined {
  if (!format) return undefined
  return format.type === 'json_schema' ? toSchemaFormat(format) : format
}

/** The origin of a message: its items in order, with the number of parts and calls of each. */
export type Origin = 'instructions' | 'input' | readonly OriginItem[]

/**
 * `parts` is null if the item is one text; `listMember` names the member with the text; `fileUrls` has the indexes of the parts that
 * are files by URL.
 */
export type OriginItem = {
  readonly item: number
  readonly listMember: 'content' | 'output'
  readonly parts: number | null
  readonly calls: number
  readonly fileUrls: readonly number[]
}

type Conversation = { readonly messages: readonly Message[]; readonly origins: readonly Origin[] }

/** A conversation, or the index of the item whose reasoning did not come from here. */
type ReadMessages =
  | { readonly ok: true; readonly conversation: Conversation }
  | { readonly ok: false; readonly item: number }

export function toMessages(instructions: string | null, input: string | readonly WireItem[]): ReadMessages {
  const messages: Message[] = []
  const origins: Origin[] = []
  const add = (message: Message, origin: Origin): void => {
    messages.push(message)
    origins.push(origin)
  }
  if (instructions !== null && instructions !== '') add(ofText('system', instructions), 'instructions')
  if (typeof input === 'string') {
    add(ofText('user', input), 'input')
    return { ok: true, conversation: { messages, origins } }
  }
  const turn = createAssistantTurn(add)
  for (const [at, item] of input.entries()) {
    switch (item.type) {
      case 'reasoning': {
        const carried = item.encrypted_content ? decodeReasoning(item.encrypted_content) : undefined
        if (carried === null) return { ok: false, item: at }
        turn.addReasoning(carried)
        break
      }
      case 'function_call':
      case 'custom_tool_call':
        turn.addCall(at, toCall(item))
        break
      case 'additional_tools':
        break
      case 'function_call_output':
      case 'custom_tool_call_output': {
        // Tools may answer with an empty list, which the chat standard does not have.
        const toolOutput = item.output.length === 0 ? '' : item.output
        turn.end()
        add({ role: 'tool', toolCallId: item.call_id, content: toParts(toolOutput) }, [
          originOf(at, toolOutput, 'output'),
        ])
        break
      }
      case 'message':
      case null:
      case undefined:
        if (item.role === 'assistant') {
          turn.addText(toTexts(item.content), originOf(at, item.content))
          break
        }
        turn.end()
        add(toMessage(item), [originOf(at, item.content)])
    }
  }
  turn.end()
  return { ok: true, conversation: { messages, origins } }
}

const ofText = (role: 'system' | 'user', text: string): Message => ({ role, content: [{ type: 'text', text }] })

type WireMessage = Extract<WireItem, { content: unknown; role: unknown }>
type AssistantContent = Extract<WireMessage, { role: 'assistant' }>['content']

function toMessage(item: Exclude<WireMessage, { role: 'assistant' }>): Message {
  if (item.role === 'user') return { role: 'user', content: toParts(item.content) }
  const { content } = item
  return {
    role: item.role,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toText),
  }
}

type AnyContent = string | readonly (WireInputPart | Exclude<AssistantContent, string>[number])[]

const originOf = (item: number, content: AnyContent, listMember: OriginItem['listMember'] = 'content'): OriginItem => ({
  item,
  listMember,
  parts: typeof content === 'string' ? null : content.length,
  calls: 0,
  fileUrls:
    typeof content === 'string' ? [] : [...content.entries()].flatMap(([at, part]) => (isFileByUrl(part) ? [at] : [])),
})

const isFileByUrl = (part: { type: string; file_url?: string | null | undefined }): boolean =>
  part.type === 'input_file' && Boolean(part.file_url)

const toText = ({ text }: { text: string }): TextPart => ({ type: 'text', text })

/** A refusal counts as text of the message. */
const toTexts = (content: AssistantContent): TextPart[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : content.map((part) => ({ type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }))

/** Empty arguments of a function become an object without members. */
function toCall(item: Extract<WireItem, { type: 'function_call' | 'custom_tool_call' }>): ToolCall {
  const call = { id: item.call_id, name: sentName(item) }
  if (item.type === 'custom_tool_call') return { ...call, arguments: item.input, isCustom: true }
  return { ...call, arguments: item.arguments.trim() === '' ? '{}' : item.arguments }
}

type UserContent = Extract<Message, { role: 'user' }>['content']

const toParts = (content: string | readonly WireInputPart[]): UserContent =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toPart)

function toPart(part: WireInputPart): UserContent[number] {
  switch (part.type) {
    case 'input_text':
      return toText(part)
    case 'input_image':
      return { type: 'image', url: part.image_url, detail: part.detail ?? undefined }
    case 'input_file':
      return { type: 'file', url: part.file_data ?? part.file_url ?? '', name: part.filename ?? undefined }
  }
}

/** Collects the items of one answer. An item after a finished text begins another answer. */
function createAssistantTurn(add: (message: Message, origin: Origin) => void) {
  let content: TextPart[] = []
  let calls: ToolCall[] = []
  let thinking: ThinkingBlock[] = []
  let signatures = new Map<string, string>()
  let signature: string | undefined
  let items: OriginItem[] = []

  function end(): void {
    // Reasoning without a later text or call is dropped: it belongs to no message.
    if (content.length > 0 || calls.length > 0) {
      const toolCalls = calls.map((call) => ({ ...call, signature: signatures.get(call.id) }))
      const thoughts = thinking.length > 0 ? { thinking } : {}
      const message = { role: 'assistant', content, signature, ...thoughts } as const
      add(toolCalls.length > 0 ? { ...message, toolCalls } : message, items)
    }
    content = []
    calls = []
    thinking = []
    signatures = new Map()
    signature = undefined
    items = []
  }

  const isFinished = (): boolean => content.length > 0 && calls.length === 0

  return {
    end,
    addText(texts: readonly TextPart[], origin: OriginItem): void {
      if (isFinished()) end()
      content.push(...texts)
      items.push(origin)
    },
    addCall(item: number, call: ToolCall): void {
      calls.push(call)
      items.push({ item, listMember: 'content', parts: 0, calls: 1, fileUrls: [] })
    },
    addReasoning(carried: CarriedReasoning | undefined): void {
      if (carried?.provider === 'anthropic') {
        if (isFinished()) end()
        thinking.push(...carried.thinking)
      } else if (carried?.call !== undefined) signatures.set(carried.call, carried.signature)
      else if (carried !== undefined) signature = carried.signature
    },
  }
}
