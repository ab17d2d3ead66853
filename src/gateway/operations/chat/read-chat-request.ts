// Reads and checks the body of a chat completion, or returns the error for one that cannot be run. Also maps our names of the
// request's members back to the caller's, for errors. Pure.
import { AppError } from '../../../platform/errors.ts'
import { checkBySchema } from '../../../platform/check-by-schema.ts'
import { createReader, refuseMember } from '../../call/prepare-call.ts'
import { chatAnswerFormat } from './chat-answer-format.ts'
import type { WireMessage } from './chat-message.schema.ts'
import { ChatRequestSchema, type WireChatRequest } from './chat-request.schema.ts'
import { isAllowed, toChatRequest, usesFunctions } from './translate-chat-request.ts'

/** @see https://platform.openai.com/docs/api-reference/chat */
export const readChatRequest = createReader((body) => {
  const wire = checkBySchema(ChatRequestSchema(), body, 'body')
  if (wire instanceof AppError) return wire
  const fault = checkCombinations(wire)
  if (fault !== null) return fault
  const format = chatAnswerFormat({
    includeUsage: wire.stream_options?.include_usage === true,
    hasFunctions: usesFunctions(wire),
    memberName: createMemberNames(wire),
  })
  return { wire, request: toChatRequest(wire), formatFor: () => format }
})

function checkCombinations(wire: WireChatRequest): AppError | null {
  const { max_tokens: maxTokens, max_completion_tokens: most } = wire
  if (typeof maxTokens === 'number' && typeof most === 'number' && maxTokens !== most) {
    return refuseMember('max_tokens', 'It differs from max_completion_tokens. Send only one of them.')
  }
  if (wire.stream_options?.include_usage === true && wire.stream !== true) {
    return refuseMember('stream_options', 'Only allowed together with stream.')
  }
  if (wire.top_logprobs && wire.logprobs !== true) {
    return refuseMember('top_logprobs', 'Only allowed together with logprobs.')
  }
  return checkTools(wire) ?? checkAssistantMessages(wire)
}

function checkTools(wire: WireChatRequest): AppError | null {
  const { tools, tool_choice: choice, function_call: called } = wire
  const hasTools = (tools ?? []).length > 0
  const hasFunctions = usesFunctions(wire)
  if (hasFunctions && hasTools) return refuseMember('functions', 'Send tools or functions, not both.')
  if (hasFunctions && choice && choice !== 'auto')
    return refuseMember('tool_choice', 'Only allowed together with tools.')
  const isIdle = called === 'auto' || (called === 'none' && !hasTools)
  if (!hasFunctions && called && !isIdle) return refuseMember('function_call', 'Only allowed together with functions.')
  const allowed = typeof choice === 'object' && choice?.type === 'allowed_tools' ? choice.allowed_tools.tools : []
  const unknown = allowed.findIndex((one) => !tools?.some(({ function: { name } }) => name === one.function.name))
  if (unknown === -1) return null
  return refuseMember(`tool_choice.allowed_tools.tools[${unknown}].function.name`, 'It must name one of the tools.')
}

function checkAssistantMessages({ messages }: WireChatRequest): AppError | null {
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const calls = message.tool_calls ?? []
    if (message.function_call && calls.length > 0) {
      return refuseMember(`messages[${at}].function_call`, 'Send tool_calls or function_call, not both.')
    }
    // Clients send null as the content of a stream without text.
    if (calls.length > 0 || message.function_call || message.refusal || message.content !== undefined) continue
    return refuseMember(`messages[${at}].content`, 'An assistant message needs content or tool calls.')
  }
  return null
}

type MessageNames = {
  /** True for role function, or a function_call. */
  readonly isLegacy: boolean
  readonly isText: boolean
}

type Names = {
  readonly messages: readonly MessageNames[]
  /** For each tool that the model gets, its index among all tools. */
  readonly tools: readonly number[]
  readonly hasFunctions: boolean
  readonly hasMaxTokens: boolean
  readonly hasSafetyIdentifier: boolean
}

/** Returns a function from our name of a member, such as `tools[0].function.name`, to the caller's. It stores no text. */
const createMemberNames = (wire: WireChatRequest): ((name: string) => string) =>
  createNameLookup({
    messages: wire.messages.map(messageNames),
    tools: (wire.tools ?? []).flatMap((tool, at) => (isAllowed(wire, tool) ? [at] : [])),
    hasFunctions: usesFunctions(wire),
    hasMaxTokens: typeof wire.max_completion_tokens !== 'number' && typeof wire.max_tokens === 'number',
    hasSafetyIdentifier: Boolean(wire.safety_identifier),
  })

/** Separate from the function that reads the request: a closure there would hold the whole request in memory. */
const createNameLookup =
  ({ messages, tools, hasFunctions, hasMaxTokens, hasSafetyIdentifier }: Names): ((name: string) => string) =>
  (name) => {
    const [, message = '', at = '', member = ''] = /^(messages\[(\d+)\])(.*)$/.exec(name) ?? []
    const names = messages[Number(at)]
    if (message !== '' && names !== undefined) return message + messageMember(member, names)
    if (hasMaxTokens && name === 'max_completion_tokens') return 'max_tokens'
    if (hasSafetyIdentifier && name === 'user') return 'safety_identifier'
    if (hasFunctions) return legacyMember(name)
    return name.replace(/^tools\[(\d+)\]/, (_, place: string) => `tools[${tools[Number(place)] ?? place}]`)
  }

/** Shared by all messages that have nothing special, to save memory. */
const PLAIN: MessageNames = { isLegacy: false, isText: true }
const IN_PARTS: MessageNames = { ...PLAIN, isText: false }

function messageNames(message: WireMessage): MessageNames {
  const isLegacy = message.role === 'function' || (message.role === 'assistant' && Boolean(message.function_call))
  const isText = !Array.isArray(message.content)
  if (isLegacy) return { isLegacy, isText }
  return isText ? PLAIN : IN_PARTS
}

function messageMember(member: string, { isLegacy, isText }: MessageNames): string {
  const plain = isText ? member.replace(/^\.content\[0\].*$/, '.content') : member
  return isLegacy ? legacyMessageMember(plain) : plain
}

const legacyMessageMember = (member: string): string =>
  member.replace(/^\.tool_calls\[0\](\.function)?/, '.function_call').replace(/^\.tool_call_id$/, '.name')

const legacyMember = (name: string): string =>
  name
    .replace(/^tools(\[\d+\])?(\.function)?/, 'functions$1')
    .replace(/^tool_choice/, 'function_call')
    .replace(/^parallel_tool_calls$/, 'functions')
