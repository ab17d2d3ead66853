// Whether a conversation hangs together: each tool call is answered right after it, and each tool result answers a call.
// Most models also need a user who says something, and arguments that are the JSON object they claim to be.
import { isTooDeep } from '../platform/json-structure.ts'
import type { Model } from './catalogue.schema.ts'
import { unsupported, type Unsupported } from './failure.ts'
import { MOST_LEVELS, parseJsonObject } from './json.ts'
import { isInstruction, type MediaPart, type Message, type TextPart } from './request.ts'

/** The first thing wrong with it, or null. */
export function conversationFault(messages: readonly Message[], model: Model): Unsupported | null {
  const { looseTurns } = model.capabilities
  return emptinessFault(messages, looseTurns) ?? toolFault(messages, looseTurns)
}

function emptinessFault(messages: readonly Message[], looseTurns: boolean): Unsupported | null {
  if (messages.every((message) => !looseTurns && isInstruction(message))) {
    return unsupported('messages', 'Add at least one user message.')
  }
  const isBlank = (part: TextPart | MediaPart) => !looseTurns && part.type === 'text' && part.text.trim() === ''
  const at = messages.findIndex(({ role, content }) => role === 'user' && content.every(isBlank))
  return at === -1 ? null : unsupported(`messages[${at}].content`, 'A user message must not be empty with this model.')
}

function toolFault(messages: readonly Message[], looseTurns: boolean): Unsupported | null {
  const unanswered = new Set<string>()
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`
    if (message.role === 'tool') {
      if (!unanswered.delete(message.toolCallId)) {
        return unsupported(`${path}.tool_call_id`, 'It must answer a call of the assistant message before it.')
      }
      continue
    }
    if (unanswered.size > 0)
      return unsupported(path, 'Every tool call of the assistant message before it must be answered first.')
    if (message.role !== 'assistant') continue
    for (const [position, call] of (message.toolCalls ?? []).entries()) {
      const wrong = looseTurns ? null : argumentsFault(call.arguments)
      if (wrong !== null) return unsupported(`${path}.tool_calls[${position}].function.arguments`, wrong)
      if (unanswered.has(call.id)) {
        return unsupported(`${path}.tool_calls[${position}].id`, 'Another call of this message has the same id.')
      }
      unanswered.add(call.id)
    }
  }
  return unanswered.size === 0 ? null : unsupported('messages', 'Every tool call must be answered by its result.')
}

/** Depth is checked before parsing: a parser takes long over endless brackets. */
function argumentsFault(text: string): string | null {
  if (isTooDeep(text, MOST_LEVELS)) return `Arguments may be nested ${MOST_LEVELS} levels deep.`
  return parseJsonObject(text) === null ? 'Arguments must be a JSON object with this model.' : null
}
