// Whether a conversation hangs together, the same for every provider: each tool call is answered right after it, each
// tool result answers a call, and arguments are the JSON object they claim to be.
import { unsupported, type Unsupported } from './failure.ts'
import { isTooDeep } from '../platform/json-structure.ts'
import { MOST_LEVELS, parseJsonObject } from './json.ts'
import { isInstruction, type Message } from './request.ts'

/** The first thing wrong with it, or null. */
export function conversationFault(messages: readonly Message[]): Unsupported | null {
  if (messages.every(isInstruction)) {
    return unsupported('messages', 'Add at least one user message.')
  }
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
    if (message.role === 'user' && message.content.every((part) => part.type === 'text' && part.text.trim() === '')) {
      return unsupported(`${path}.content`, 'A user message must not be empty.')
    }
    if (message.role !== 'assistant') continue
    for (const [position, call] of (message.toolCalls ?? []).entries()) {
      const wrong = argumentsFault(call.arguments)
      if (wrong !== null) return unsupported(`${path}.tool_calls[${position}].function.arguments`, wrong)
      if (unanswered.has(call.id)) {
        return unsupported(`${path}.tool_calls[${position}].id`, 'Another call of this message has the same id.')
      }
      unanswered.add(call.id)
    }
  }
  return unanswered.size === 0 ? null : unsupported('messages', 'Every tool call must be answered by a tool message.')
}

/** How deep comes first: a parser takes long for brackets without end. */
function argumentsFault(text: string): string | null {
  if (isTooDeep(text, MOST_LEVELS)) return `Arguments may be nested ${MOST_LEVELS} levels deep.`
  return parseJsonObject(text) === null ? 'Arguments must be a JSON object.' : null
}
