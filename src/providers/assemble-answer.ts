// Assembles the events of a stream into the answer that the provider would have given in one piece.
import {
  laterUsage,
  type Answer,
  type Choice,
  type Citation,
  type FinishReason,
  type Searches,
  type StreamEvent,
  type Usage,
} from './chat-answer.ts'
import type { ToolCall } from './chat-request.ts'
import { createThinkingBlocks } from './thinking-blocks.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

type PartialChoice = {
  text: string
  refusal: string | null
  calls: Map<number, Writable<ToolCall>>
  thinking: ReturnType<typeof createThinkingBlocks>
  signature: string | undefined
  finish: FinishReason
  stopSequence: string | undefined
}

const emptyPartialChoice = (): PartialChoice => ({
  text: '',
  refusal: null,
  calls: new Map(),
  thinking: createThinkingBlocks(),
  signature: undefined,
  finish: 'stop',
  stopSequence: undefined,
})

export function assembleAnswer(events: Iterable<StreamEvent>): Answer {
  const choices = new Map<number, PartialChoice>()
  const choiceAt = (index: number): PartialChoice => {
    const choice = choices.get(index) ?? emptyPartialChoice()
    choices.set(index, choice)
    return choice
  }
  let id: string | null = null
  let model: string | null = null
  let usage: Usage | null = null
  let citations: readonly Citation[] = []
  let lookedUp: Searches | undefined
  for (const event of events) {
    if (event.type === 'start') ({ id, model } = event)
    else if (event.type === 'model') ({ model } = event)
    else if (event.type === 'usage') usage = laterUsage(usage, event.usage)
    else if (event.type === 'citations') ({ citations } = event)
    else if (event.type === 'looked_up') ({ lookedUp } = event)
    else if (event.type !== 'end' && event.type !== 'failed') addToChoice(choiceAt(event.choice), event)
  }
  return {
    id,
    model,
    choices: [...choices].toSorted(([first], [second]) => first - second).map(presentChoice),
    usage,
    citations,
    ...(lookedUp !== undefined && { lookedUp }),
  }
}

function addToChoice(choice: PartialChoice, event: Extract<StreamEvent, { choice: number }>): void {
  switch (event.type) {
    case 'text':
      choice.text += event.text
      break
    case 'refusal':
      choice.refusal = (choice.refusal ?? '') + event.text
      break
    case 'thinking':
      choice.thinking.add(event)
      break
    case 'signature':
      choice.signature = event.signature
      break
    case 'tool_call': {
      const { id, name, isCustom, signature } = event
      choice.calls.set(event.index, { id, name, isCustom, arguments: '', signature })
      break
    }
    case 'tool_arguments': {
      const call = choice.calls.get(event.index)
      if (call !== undefined) call.arguments += event.fragment
      break
    }
    case 'finish':
      choice.finish = event.reason
      choice.stopSequence = event.stopSequence
  }
}

function presentChoice([index, choice]: [number, PartialChoice]): Choice {
  const { text, refusal, calls, thinking, signature, finish: finishReason, stopSequence } = choice
  const reasoning = { thinking: thinking.blocks(), thoughts: thinking.all(), signature }
  return { index, text, refusal, toolCalls: [...calls.values()], ...reasoning, finishReason, stopSequence }
}
