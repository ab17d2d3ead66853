// How the caller has called what the gateway knows by the standard's present names: functions are the older form of tools,
// and a choice of allowed tools leaves some out, so that others move up.
import type { WireRequest } from './chat-request.schema.ts'
import { isAllowed, usesFunctions } from './to-chat-request.ts'

/** From a member of a request with tools, such as `tools[0].function.name`, to that of the caller's. Keeps none of its text. */
export function createMemberNames(wire: WireRequest): (name: string) => string {
  const older = new Set(wire.messages.flatMap((message, at) => (isOlder(message) ? [`messages[${at}]`] : [])))
  const places = (wire.tools ?? []).flatMap((tool, at) => (isAllowed(wire, tool) ? [at] : []))
  const hasFunctions = usesFunctions(wire)
  return (name) => {
    const [, message = '', member = ''] = /^(messages\[\d+\])(.*)$/.exec(name) ?? []
    if (older.has(message)) return message + olderMessageMember(member)
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
