// How the caller has called what the gateway knows by the standard's present names: functions are the older form of tools,
// max_tokens that of max_completion_tokens, and a choice of allowed tools leaves some out, so that others move up.
import type { WireRequest } from './chat-request.schema.ts'
import { isAllowed, usesFunctions } from './to-chat-request.ts'

type OwnNames = {
  /** Messages whose call is a function's, such as `messages[1]`. */
  readonly older: ReadonlySet<string>
  /** Where the tools stand that the model is told of. */
  readonly places: readonly number[]
  readonly hasFunctions: boolean
  readonly hasMaxTokens: boolean
}

/** From a member of a request with tools, such as `tools[0].function.name`, to that of the caller's. */
export const createMemberNames = (wire: WireRequest): ((name: string) => string) => renameBy(ownNamesOf(wire))

function ownNamesOf(wire: WireRequest): OwnNames {
  return {
    older: new Set(wire.messages.flatMap((message, at) => (isOlder(message) ? [`messages[${at}]`] : []))),
    places: (wire.tools ?? []).flatMap((tool, at) => (isAllowed(wire, tool) ? [at] : [])),
    hasFunctions: usesFunctions(wire),
    hasMaxTokens: typeof wire.max_completion_tokens !== 'number' && typeof wire.max_tokens === 'number',
  }
}

/** What comes back waits for the answer. The request is not in its reach: a closure beside it would keep all of it. */
function renameBy({ older, places, hasFunctions, hasMaxTokens }: OwnNames): (name: string) => string {
  return (name) => {
    const [, message = '', member = ''] = /^(messages\[\d+\])(.*)$/.exec(name) ?? []
    if (older.has(message)) return message + olderMessageMember(member)
    if (hasMaxTokens && name === 'max_completion_tokens') return 'max_tokens'
    if (hasFunctions) return olderMember(name)
    return name.replace(/^tools\[(\d+)\]/, (_, at: string) => `tools[${places[Number(at)] ?? at}]`)
  }
}

const isOlder = (message: WireRequest['messages'][number]): boolean =>
  message.role === 'function' || (message.role === 'assistant' && Boolean(message.function_call))

const olderMessageMember = (member: string): string =>
  member.replace(/^\.tool_calls\[0\](\.function)?/, '.function_call').replace(/^\.tool_call_id$/, '.name')

const olderMember = (name: string): string =>
  name
    .replace(/^tools(\[\d+\])?(\.function)?/, 'functions$1')
    .replace(/^tool_choice/, 'function_call')
    .replace(/^parallel_tool_calls$/, 'functions')
