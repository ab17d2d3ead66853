// Who speaks, for providers that have no member for it: the name stands before the text, as people write down who said
// what. A model imitates how its own turns begin, so those get a name only where
// several assistants take part.
import type { Message } from './request.ts'

/** The messages with their names written into their texts. */
export function writeNames(messages: readonly Message[]): readonly Message[] {
  const assistants = new Set(messages.flatMap((message) => (message.role === 'assistant' ? (message.name ?? []) : [])))
  return messages.map((message) => {
    if (message.role === 'tool' || message.name === undefined) return message
    if (message.role === 'assistant') return assistants.size > 1 ? writeName(message, message.name) : message
    return writeName(message, message.name)
  })
}

function writeName<M extends Exclude<Message, { role: 'tool' }>>(message: M, name: string): M {
  const { content } = message
  const first = content.find((part) => part.type === 'text')
  if (first?.type !== 'text') {
    return content.length === 0 ? message : { ...message, content: [{ type: 'text', text: `${name}:` }, ...content] }
  }
  const named = { ...first, text: `${name}: ${first.text}` }
  return { ...message, content: content.map((part) => (part === first ? named : part)) }
}
