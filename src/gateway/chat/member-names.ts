// Translates the gateway's names of members back into the caller's, for error messages. They differ where the caller used older
// names (functions, max_tokens), sent a text in place of a list of parts, or allowed only some tools, which moves the others up.
import type { WireMessage } from './chat-message.schema.ts'
import type { WireRequest } from './chat-request.schema.ts'
import { isAllowed, usesFunctions } from './to-chat-request.ts'

type MessageNames = {
  /** Of role function, or with a function_call. */
  readonly isOlder: boolean
  readonly isText: boolean
}

type Names = {
  readonly messages: readonly MessageNames[]
  /** Of each tool that the model is told of, its place among all of them. */
  readonly tools: readonly number[]
  readonly hasFunctions: boolean
  readonly hasMaxTokens: boolean
}

/** From a member of a request with tools, such as `tools[0].function.name`, to that of the caller's. Keeps none of its text. */
export function createMemberNames(wire: WireRequest): (name: string) => string {
  return namesBy({
    messages: wire.messages.map(messageNames),
    tools: (wire.tools ?? []).flatMap((tool, at) => (isAllowed(wire, tool) ? [at] : [])),
    hasFunctions: usesFunctions(wire),
    hasMaxTokens: typeof wire.max_completion_tokens !== 'number' && typeof wire.max_tokens === 'number',
  })
}

/** Made apart from the function that reads the request: a closure made there would keep the whole request in memory. */
function namesBy({ messages, tools, hasFunctions, hasMaxTokens }: Names): (name: string) => string {
  return (name) => {
    const [, message = '', at = '', member = ''] = /^(messages\[(\d+)\])(.*)$/.exec(name) ?? []
    const names = messages[Number(at)]
    if (message !== '' && names !== undefined) return message + messageMember(member, names)
    if (hasMaxTokens && name === 'max_completion_tokens') return 'max_tokens'
    if (hasFunctions) return olderMember(name)
    return name.replace(/^tools\[(\d+)\]/, (_, place: string) => `tools[${tools[Number(place)] ?? place}]`)
  }
}

/** Most messages have nothing special: all of those share one object. */
const PLAIN: MessageNames = { isOlder: false, isText: true }
const IN_PARTS: MessageNames = { ...PLAIN, isText: false }

function messageNames(message: WireMessage): MessageNames {
  const isOlder = message.role === 'function' || (message.role === 'assistant' && Boolean(message.function_call))
  const isText = !Array.isArray(message.content)
  if (isOlder) return { isOlder, isText }
  return isText ? PLAIN : IN_PARTS
}

function messageMember(member: string, { isOlder, isText }: MessageNames): string {
  const plain = isText ? member.replace(/^\.content\[0\].*$/, '.content') : member
  return isOlder ? olderMessageMember(plain) : plain
}

const olderMessageMember = (member: string): string =>
  member.replace(/^\.tool_calls\[0\](\.function)?/, '.function_call').replace(/^\.tool_call_id$/, '.name')

const olderMember = (name: string): string =>
  name
    .replace(/^tools(\[\d+\])?(\.function)?/, 'functions$1')
    .replace(/^tool_choice/, 'function_call')
    .replace(/^parallel_tool_calls$/, 'functions')
