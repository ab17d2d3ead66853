// Translates the member that a chat error names, such as messages[2].content, into its name in a Messages request.
import { WHOLE, type Origin } from './translate-messages.ts'

const MEMBERS: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  stop: 'stop_sequences',
  user: 'metadata.user_id',
  reasoning_effort: 'output_config.effort',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
}

type Places = { readonly origins: readonly Origin[]; readonly tools: readonly number[]; readonly search: number }

/** Returns a function from a chat path to the caller's name. It lives until the answer, and stores numbers only. */
export const createMemberNames =
  ({ origins, tools, search }: Places): ((chatPath: string) => string) =>
  (chatPath) => {
    const [, member = '', index, rest = ''] = /^(\w+)(?:\[(\d+)\])?(.*)$/.exec(chatPath) ?? []
    if (member === 'messages' && index !== undefined) return nameInMessage(origins[Number(index)], rest)
    if (member === 'tools' && index !== undefined) {
      const inner = rest.replace(/^\.function/, '').replace(/^\.parameters/, '.input_schema')
      return `tools[${tools[Number(index)] ?? index}]${inner}`
    }
    if (member === 'response_format') return `output_config.format${rest.replace(/^\.json_schema/, '')}`
    if (member === 'web_search_options') return `tools[${search}].type`
    return `${MEMBERS[member] ?? member}${rest}`
  }

/** Estimates the bytes that the names take until the answer ends. */
export const bytesOfNames = ({ origins, tools }: Pick<Places, 'origins' | 'tools'>): number =>
  origins.reduce((sum, { parts, calls }) => sum + BYTES_A_MESSAGE + BYTES_A_NUMBER * (parts.length + calls.length), 0) +
  BYTES_A_NUMBER * tools.length

const BYTES_A_MESSAGE = 160
const BYTES_A_NUMBER = 8

/** The chat name of a part's member → its name in a block. */
const PART_MEMBERS: Readonly<Record<string, string>> = {
  '.image_url': '.source',
  '.image_url.url': '.source',
  '.image_url.detail': '.source',
  '.file': '.source',
  '.file.file_data': '.source',
  '.file.filename': '.title',
}

const CALL_MEMBERS: Readonly<Record<string, string>> = { '.function.arguments': '.input', '.function.name': '.name' }

function nameInMessage(origin: Origin | undefined, rest: string): string {
  if (origin === undefined) return 'messages'
  const { turn, result, parts, calls } = origin
  const message = turn === null ? 'system' : `messages[${turn}]`
  const content = turn === null ? 'system' : `${message}.content`
  const holder = result === null ? message : `${content}[${result}]`
  const list = result === null ? content : `${holder}.content`
  const [, member, index, inner = ''] = /^\.(content|tool_calls)\[(\d+)\](.*)$/.exec(rest) ?? []
  if (member === 'tool_calls') {
    return `${content}[${calls[Number(index)] ?? 0}]${CALL_MEMBERS[inner] ?? inner}`
  }
  if (member === 'content') {
    const place = parts[Number(index)] ?? WHOLE
    return place >= 0 ? `${list}[${place}]${PART_MEMBERS[inner] ?? inner}` : list
  }
  if (rest === '.tool_call_id') return `${holder}.tool_use_id`
  return rest === '.content' ? list : `${holder}${rest}`
}
