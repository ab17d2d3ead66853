// Anthropic's thinking blocks: whether a request has the model think, what stands in the blocks of an answer, and how
// they must come back. Within a turn that goes on after a tool they are all there, in their order, before the calls.

import { isClaudeFive } from '../models.ts'
import { sign, signedPlace } from '../signatures.ts'
import type { Answer, JsonObject, Thinking } from '../turn.ts'
import { problemAt } from '../wire-format.ts'
import type { WireProblem } from '../wire-format.ts'
import { blocksOf } from './anthropic-content.ts'
import type { AnthropicMessage, Block } from './anthropic-content.ts'
import type { AnthropicRequest } from './anthropic-request.ts'

const REDACTED = 'redacted'

/** Claude 5 thinks unless it is told not to, and shows it only when asked; Haiku 4.5 the other way round. */
export function thinkingOf({ model, thinking }: AnthropicRequest): Thinking {
  const isFive = isClaudeFive(model)
  if (thinking?.type === 'disabled' || (thinking === undefined && !isFive)) return 'off'
  const display = thinking?.display ?? (isFive ? 'omitted' : 'summarized')
  return display === 'summarized' ? 'shown' : 'hidden'
}

export function thoughtBlocks({ thoughts, serial }: Answer): JsonObject[] {
  return thoughts.map(({ text, isRedacted }, at) => {
    const place = `${serial}.${at}.${thoughts.length}`
    return isRedacted
      ? { type: 'redacted_thinking', data: sign(place, REDACTED) }
      : { type: 'thinking', thinking: text, signature: sign(place, text) }
  })
}

/** `serial.index.count` of a block that was given here and is unchanged. */
function placeOf(block: Block): string | null {
  if (block.type === 'thinking') return signedPlace(block.signature, block.thinking)
  return block.type === 'redacted_thinking' ? signedPlace(block.data, REDACTED) : null
}

function isThought(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

export function thoughtFault(request: AnthropicRequest): WireProblem | null {
  if (thinkingOf(request) === 'off') return null
  const { messages, thinking } = request
  for (const [at, message] of messages.entries()) {
    const changed = blocksOf(message).findIndex((block) => isThought(block) && placeOf(block) === null)
    if (changed < 0) continue
    const [what, member] =
      blocksOf(message)[changed]?.type === 'thinking' ? ['thinking', 'signature'] : ['redacted_thinking', 'data']
    return problemAt(
      `messages.${at}.content.${changed}`,
      `the \`${member}\` of this \`${what}\` block was not given here`,
    )
  }
  return orderFault(messages, thinking?.type === 'enabled')
}

/** Only the latest turn of the model is held to its order; with a budget, it has to begin with a thought. */
function orderFault(messages: readonly AnthropicMessage[], isBudgeted: boolean): WireProblem | null {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[last]
  if (message === undefined) return null
  const blocks = blocksOf(message)
  const thoughts = blocks.filter(isThought)
  const isOpen = blocks.some(({ type }) => type === 'tool_use')
  const [first] = blocks
  if (isBudgeted && isOpen && first !== undefined && !isThought(first)) {
    return problemAt(
      `messages.${last}.content.0.type`,
      `\`thinking\` or \`redacted_thinking\` comes first, not \`${first.type}\``,
    )
  }
  const [serial] = (thoughts[0] === undefined ? null : placeOf(thoughts[0]))?.split('.') ?? []
  const given = thoughts.map((block) => placeOf(block))
  const isWhole = given.every((place, at) => place === `${serial}.${at}.${given.length}`)
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use')
  const isBefore = firstCall < 0 || blocks.findLastIndex(isThought) < firstCall
  if (isWhole && isBefore) return null
  return problemAt(`messages.${last}.content`, 'the thinking blocks of the latest turn are not as they were given')
}
