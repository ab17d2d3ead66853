// The cache marks of an Anthropic request: their rules, and the beginnings of the prompt that they name. Pieces are taken
// in the order tools, system, messages.

import { leastCachedTokens } from '../models.ts'
import { cachePoints } from '../prompt-cache.ts'
import type { Cacheable, CacheLife, PromptPiece } from '../prompt-cache.ts'
import { problem, problemAt } from '../wire-format.ts'
import type { WireProblem } from '../wire-format.ts'
import { blocksOf, blockText, mediaIn } from './anthropic-content.ts'
import type { Block } from './anthropic-content.ts'
import type { AnthropicRequest } from './anthropic-request.ts'

const MOST_MARKS = 4

interface PlacedPiece extends PromptPiece {
  place: string
}

type Mark = { ttl?: CacheLife | undefined } | null | undefined

function lifeOf(mark: Mark): CacheLife | null {
  return mark ? (mark.ttl ?? '5m') : null
}

/** A mark inside a tool's result counts where the result ends. */
function markIn(block: Block): Mark {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return null
  if (block.cache_control) return block.cache_control
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return null
  return block.content.map((inner) => inner.cache_control).findLast((mark) => mark)
}

/** The same text with and without a mark is the same prompt. */
function identityOf(kind: string, value: unknown): () => string {
  return () => kind + JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner))
}

function piecesOf({ tools = [], system = [], messages, cache_control: whole }: AnthropicRequest): PlacedPiece[] {
  const systemBlocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : system
  const pieces = [
    ...tools.map((tool, at) => ({
      place: `tools.${at}`,
      identity: identityOf('tool', tool),
      text: '',
      media: 0,
      mark: lifeOf(tool.cache_control),
    })),
    ...systemBlocks.map((block, at) => ({
      place: `system.${at}`,
      identity: identityOf('system', block),
      text: block.text,
      media: 0,
      mark: lifeOf('cache_control' in block ? block.cache_control : null),
    })),
    ...messages.flatMap((message, at) =>
      blocksOf(message).map((block, position) => ({
        place: `messages.${at}.content.${position}`,
        identity: identityOf(message.role, block),
        text: blockText(block),
        media: mediaIn(block),
        mark: lifeOf(markIn(block)),
      })),
    ),
  ]
  const last = pieces.at(-1)
  if (whole && last !== undefined) last.mark ??= lifeOf(whole)
  return pieces
}

/** At most four marks, and none for an hour after one for five minutes. */
export function cacheMarkFault(request: AnthropicRequest): WireProblem | null {
  const marked = piecesOf(request).filter(({ mark }) => mark !== null)
  if (marked.length > MOST_MARKS) {
    return problem(400, `${marked.length} blocks with cache_control, of ${MOST_MARKS} at most`)
  }
  const firstShort = marked.findIndex(({ mark }) => mark === '5m')
  const late = firstShort < 0 ? undefined : marked.slice(firstShort).find(({ mark }) => mark === '1h')
  if (late === undefined) return null
  return problemAt(`${late.place}.cache_control.ttl`, "a ttl of '1h' stands after one of '5m'")
}

/** What may be read and written, or null where nothing is marked. */
export function cacheableIn(request: AnthropicRequest): Cacheable | null {
  const pieces = piecesOf(request)
  if (pieces.every(({ mark }) => mark === null)) return null
  const leastTokens = leastCachedTokens(request.model)
  return { isMarked: true, prompt: () => ({ points: cachePoints(pieces), leastTokens, automatic: null }) }
}
