// What a stream amounts to so far, kept as counts and never as text: enough to settle it whenever and however it ends.
import { laterUsage, type FinishReason, type LookedUp, type Usage } from '../../providers/answer.ts'
import { byteLength } from '../../providers/text.ts'
import { thinkingBytes } from '../../providers/thinking.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { Produced } from '../call/bill.ts'

export type ProducedSoFar = { add(item: Pick<StreamItem, 'events' | 'textBytes'>): void; produced(): Produced }

export function createProducedSoFar(): ProducedSoFar {
  let outputBytes = 0
  let usage: Usage | null = null
  let finishReason: FinishReason | null = null
  let lookedUp: LookedUp | null = null
  return {
    add(item) {
      if (item.textBytes !== undefined) {
        outputBytes += item.textBytes
        return
      }
      for (const event of item.events) {
        if (event.type === 'text' || event.type === 'refusal') outputBytes += byteLength(event.text)
        else if (event.type === 'tool_call') outputBytes += byteLength(event.name)
        else if (event.type === 'tool_arguments') outputBytes += byteLength(event.fragment)
        else if (event.type === 'thinking') outputBytes += thinkingBytes(event.piece)
        else if (event.type === 'usage') usage = laterUsage(usage, event.usage)
        else if (event.type === 'looked_up') ({ lookedUp } = event)
        else if (event.type === 'finish') finishReason ??= event.reason
      }
    },
    produced: () => ({ usage, outputBytes, finishReason, lookedUp }),
  }
}
