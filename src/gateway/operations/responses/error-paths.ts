// Translates the member that a chat error names, such as messages[2].content, into its name in a Responses request.
import { MAX_PARTS } from './input-item.schema.ts'
import type { Origin, OriginItem, ToolOrigins } from './translate-responses-request.ts'

const MEMBERS: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  web_search_options: 'tools',
  response_format: 'text.format',
}

/**
 * Returns a function from a chat path to the caller's name. It lives until the answer, so it stores a few bytes of each item.
 *
 * @param hasSafetyIdentifier whether the user was named by `safety_identifier`
 */
export function createMemberNames(
  origins: readonly Origin[],
  tools: ToolOrigins,
  hasSafetyIdentifier: boolean,
): (chatPath: string) => string {
  const originOf = packOrigins(origins)
  return (chatPath) => {
    const [, member = '', index, rest = ''] = /^(\w+)(?:\[(\d+)\])?(.*)$/.exec(chatPath) ?? []
    if (member === 'messages' && index !== undefined) return nameInMessage(originOf(Number(index)), rest)
    if (member === 'tools' && index !== undefined) {
      return `${tools.functions[Number(index)] ?? `tools[${index}]`}${rest.replace(/^\.(function|custom)/, '')}`
    }
    if (member === 'user' && hasSafetyIdentifier) return 'safety_identifier'
    if (member === 'response_format') return `text.format${rest.replace(/^\.json_schema/, '')}`
    if (member === 'tool_choice') return `tool_choice${rest.replace(/^\.(function|allowed_tools)/, '')}`
    if (member === 'web_search_options' && tools.webSearch !== null) {
      return `${tools.webSearch}${rest.replace(/^(\.user_location)\.approximate/, '$1')}`
    }
    return `${MEMBERS[member] ?? member}${rest}`
  }
}

const ONE_TEXT = -1
const IS_OUTPUT = 1
const IS_CALL = 2

type PackedItem = Pick<OriginItem, 'item' | 'listMember' | 'parts'> & {
  readonly isCall: boolean
  readonly isFileUrl: (part: number) => boolean
}
type PackedOrigin = 'instructions' | 'input' | readonly PackedItem[]

function packOrigins(origins: readonly Origin[]): (message: number) => PackedOrigin | undefined {
  const [first] = origins
  const named = typeof first === 'string' ? first : null
  const all = origins.flatMap((origin, message) =>
    typeof origin === 'string' ? [] : origin.map((item) => ({ ...item, message })),
  )
  const messages = Uint16Array.from(all, ({ message }) => message)
  const items = Uint16Array.from(all, ({ item }) => item)
  const parts = Int16Array.from(all, (one) => one.parts ?? ONE_TEXT)
  const flags = Uint8Array.from(
    all,
    ({ listMember, calls }) => (listMember === 'output' ? IS_OUTPUT : 0) + (calls > 0 ? IS_CALL : 0),
  )
  const fileUrls = Uint32Array.from(
    all.flatMap(({ fileUrls: places }, at) => places.map((part) => at * MAX_PARTS + part)),
  )
  const { length } = origins

  const readItem = (at: number): PackedItem => {
    const [count = 0, flag = 0] = [parts[at], flags[at]]
    return {
      item: items[at] ?? 0,
      listMember: flag & IS_OUTPUT ? 'output' : 'content',
      parts: count === ONE_TEXT ? null : count,
      isCall: (flag & IS_CALL) !== 0,
      isFileUrl: (part) => fileUrls.includes(at * MAX_PARTS + part),
    }
  }

  return (message) => {
    if (message >= length) return undefined
    if (message === 0 && named !== null) return named
    const itemsOfMessage = [...messages.keys()].filter((at) => messages[at] === message).map(readItem)
    return itemsOfMessage.length > 0 ? itemsOfMessage : 'input'
  }
}

function nameInMessage(origin: PackedOrigin | undefined, rest: string): string {
  if (origin === undefined) return 'input'
  if (typeof origin === 'string') return origin
  const [, list, index, inner = ''] = /^\.(content|tool_calls)\[(\d+)\](.*)$/.exec(rest) ?? []
  if (list === 'content') return nameOfPart(origin, Number(index), inner)
  if (list === 'tool_calls') return nameOfCall(origin, Number(index), inner)
  const [first] = origin
  if (first === undefined) return 'input'
  if (rest === '.tool_call_id') return `input[${first.item}].call_id`
  if (first.isCall) return `input[${first.item}]`
  return `input[${first.item}]${rest.replace(/^\.content\b/, `.${first.listMember}`)}`
}

/** The chat name of a part's member → its name in a Responses request. */
const PART_MEMBERS: Readonly<Record<string, string>> = {
  '.image_url.url': '.image_url',
  '.image_url.detail': '.detail',
  '.file': '',
  '.file.file_data': '.file_data',
  '.file.filename': '.filename',
}

function nameOfPart(origin: readonly PackedItem[], index: number, inner: string): string {
  let remaining = index
  for (const { item, listMember, parts, isFileUrl } of origin) {
    const count = parts ?? 1
    if (remaining < count) {
      if (parts === null) return `input[${item}].${listMember}`
      const isUrl = inner === '.file.file_data' && isFileUrl(remaining)
      return `input[${item}].${listMember}[${remaining}]${isUrl ? '.file_url' : (PART_MEMBERS[inner] ?? inner)}`
    }
    remaining -= count
  }
  return 'input'
}

function nameOfCall(origin: readonly PackedItem[], index: number, inner: string): string {
  let remaining = index
  for (const { item, isCall } of origin) {
    const calls = isCall ? 1 : 0
    if (remaining < calls)
      return `input[${item}]${inner === '.id' ? '.call_id' : inner.replace(/^\.(function|custom)/, '')}`
    remaining -= calls
  }
  return 'input'
}
