// A reasoning item while it is being written: what a model thought, for the next turn, and as a summary where one is asked for.
import type { StreamEvent } from '../../providers/answer.ts'
import type { ThinkingBlock } from '../../providers/request.ts'
import { createThinkingBlocks } from '../../providers/thinking.ts'
import { createKeptText, type KeptText } from '../stream/kept-text.ts'
import { sealReasoning } from './carried-reasoning.ts'
import { itemAdded, itemDone, type NamedEvent, type OpenItem, type Place } from './open-items.ts'
import { reasoningItem, summaryPart } from './output-items.ts'

/** What of its reasoning an answer holds. */
export type ReasoningShown = { readonly carriesReasoning: boolean; readonly summary: string | null }

export type ThinkingEvent = Extract<StreamEvent, { type: 'thinking' }>

export type OpenReasoning = OpenItem & {
  add(event: ThinkingEvent): NamedEvent[]
}

/** Whether there is anything of such a piece to show. */
export const showsPiece = (shown: ReasoningShown, piece: ThinkingBlock): boolean =>
  shown.carriesReasoning || isTold(shown, piece)

/** Whether the summary tells of it. */
export const isTold = (
  { summary }: ReasoningShown,
  piece: ThinkingBlock,
): piece is Extract<ThinkingBlock, { type: 'thinking' }> =>
  summary !== null && piece.type === 'thinking' && piece.thinking !== ''

export function openReasoning(
  { id, index }: Place,
  shown: ReasoningShown,
): { reasoning: OpenReasoning; events: NamedEvent[] } {
  const blocks = createThinkingBlocks()
  /** The parts of the summary, by the number of their block. */
  const parts = new Map<number, { at: number; kept: KeptText }>()

  const place = (at: number) => ({ item_id: id, output_index: index, summary_index: at })

  function tell(block: number, text: string): NamedEvent[] {
    const events: NamedEvent[] = []
    const part = parts.get(block) ?? { at: parts.size, kept: createKeptText() }
    if (!parts.has(block)) {
      parts.set(block, part)
      events.push({ type: 'response.reasoning_summary_part.added', ...place(part.at), part: summaryPart('') })
    }
    part.kept.add(text)
    return [...events, { type: 'response.reasoning_summary_text.delta', ...place(part.at), delta: text }]
  }

  const reasoning: OpenReasoning = {
    index,
    add(event) {
      if (shown.carriesReasoning) blocks.add(event)
      const { piece, shown: text = piece.type === 'thinking' ? piece.thinking : '' } = event
      return shown.summary === null || text === '' ? [] : tell(event.index, text)
    },
    heldBytes: () => [...parts.values()].reduce((sum, { kept }) => sum + kept.bytes(), blocks.bytes()),
    close(status) {
      const told = [...parts.values()].map(({ at, kept }) => ({ at, text: kept.text() }))
      const thinking = blocks.blocks()
      const sealed = thinking && sealReasoning({ provider: 'anthropic', thinking })
      const item = reasoningItem({ id, status }, { sealed, summary: told.map(({ text }) => text) })
      const events = told.flatMap(({ at, text }) => [
        { type: 'response.reasoning_summary_text.done', ...place(at), text },
        { type: 'response.reasoning_summary_part.done', ...place(at), part: summaryPart(text) },
      ])
      return { events: [...events, itemDone(index, item)], item }
    },
  }
  return { reasoning, events: [itemAdded(index, reasoningItem({ id, status: 'in_progress' }, {}))] }
}
