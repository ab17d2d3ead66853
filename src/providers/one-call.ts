// Cuts an answer to its first tool call, for a caller who wants no parallel calls from a provider that has no such setting. The
// first call carries the thoughts; the model makes the others again once it has the first result.
import type { StreamDecoder } from './adapter.ts'
import type { Answer, StreamEvent } from './answer.ts'
import type { Model } from './catalogue.schema.ts'
import type { ChatRequest } from './request.ts'

/** Whether the answer has to be cut to its first call here. */
export function wantsOneCall({ parallelToolCalls }: ChatRequest, { capabilities }: Model): boolean {
  return parallelToolCalls === false && !capabilities.parallelToolCalls
}

export function keepFirstCall(answer: Answer): Answer {
  return {
    ...answer,
    choices: answer.choices.map((choice) => ({ ...choice, toolCalls: choice.toolCalls.slice(0, 1) })),
  }
}

export function keepFirstCalls(decoder: StreamDecoder): StreamDecoder {
  return {
    push(raw, closed) {
      const item = decoder.push(raw, closed)
      return item.textBytes === undefined ? { ...item, events: item.events.filter(isKept) } : item
    },
    close: () => decoder.close().filter(isKept),
  }
}

function isKept(event: StreamEvent): boolean {
  return (event.type !== 'tool_call' && event.type !== 'tool_arguments') || event.index === 0
}
