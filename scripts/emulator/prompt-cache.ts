// The providers' prompt caches, in memory: which beginnings of prompts were written, by whom and until when. What is kept
// of a prompt is a hash of it.

import { createHash } from 'node:crypto'
import type { Message } from './turn.ts'
import { countCharacters, tokensOf, TOKENS_OF_MEDIA } from './tokens.ts'

export type CacheLife = '5m' | '1h'
const LIFE_MS: Record<CacheLife, number> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }
/** A mark finds what was written so many pieces before it. */
const LOOK_BACK = 20

/** The oldest go first. */
const MOST_KEPT = 10_000

/** The end of a piece of the prompt, where a beginning may be written or found. */
export interface CachePoint {
  prefix: string
  /** Of the prompt up to here. */
  tokens: number
  /** How long it is to be kept, or null where nothing marks it. */
  mark: CacheLife | null
}

export interface CacheablePrompt {
  points: readonly CachePoint[]
  /** What is shorter is not cached, and nobody says so. */
  leastTokens: number
  /** The provider marks the end of every prompt on its own, and counts what was read in steps of so many tokens. */
  automatic: { stepTokens: number; countsWrites: boolean } | null
}

/** A prompt that may be cached, and whether that takes a mark of the caller's. */
export interface Cacheable {
  isMarked: boolean
  prompt: () => CacheablePrompt
}

export interface CacheUse {
  read: number
  /** Everything written. */
  write: number
  /** The part of it that is kept for an hour. */
  writeForAnHour: number
}

export const NOTHING_CACHED: CacheUse = { read: 0, write: 0, writeForAnHour: 0 }

/** One piece of a prompt, in order. */
export interface PromptPiece {
  /** Whatever makes it the piece that it is; written out only where something is cached. */
  identity: () => string
  text: string
  media: number
  mark: CacheLife | null
}

export function cachePoints(pieces: readonly PromptPiece[]): CachePoint[] {
  let characters = 0
  let media = 0
  let prefix = ''
  return pieces.map((piece) => {
    characters += countCharacters(piece.text)
    media += piece.media
    prefix = createHash('sha256').update(prefix).update('\n').update(piece.identity()).digest('base64')
    return { prefix, tokens: tokensOf(characters) + media * TOKENS_OF_MEDIA, mark: piece.mark }
  })
}

/** For providers that cache by themselves: each message is a piece, and the end of the last one is marked. */
export function wholePromptPoints(tools: readonly unknown[], messages: readonly Message[]): CachePoint[] {
  const pieces = messages.map(({ role, text, images }, at) => ({
    identity: () => `${at === 0 ? JSON.stringify(tools) : ''}${role} ${images} ${text}`,
    text,
    media: images,
    mark: at === messages.length - 1 ? ('1h' as const) : null,
  }))
  return cachePoints(pieces)
}

export class PromptCache {
  /** Until when each written beginning is kept. */
  #until = new Map<string, number>()

  clear(): void {
    this.#until.clear()
  }

  /** What this prompt reads and writes; `owner` is whose cache it is. */
  use(owner: string, { points, leastTokens, automatic }: CacheablePrompt, nowMs: number): CacheUse {
    const nameOf = (point: CachePoint): string => `${owner} ${point.prefix}`
    const marks = [...points.keys()].filter(
      (at) => points[at]?.mark != null && (points[at]?.tokens ?? 0) >= leastTokens,
    )
    const known = points.filter(
      (point, at) =>
        (this.#until.get(nameOf(point)) ?? 0) > nowMs && marks.some((mark) => at <= mark && at >= mark - LOOK_BACK),
    )
    const found = known.at(-1)?.tokens ?? 0
    const beyond = marks.flatMap((at) => points[at] ?? []).filter(({ tokens }) => tokens > found)
    for (const point of marks.flatMap((at) => points[at] ?? [])) {
      const until = nowMs + LIFE_MS[point.mark ?? '5m']
      this.#until.set(nameOf(point), Math.max(until, this.#until.get(nameOf(point)) ?? 0))
      const [oldest] = this.#until.keys()
      if (this.#until.size > MOST_KEPT && oldest !== undefined) this.#until.delete(oldest)
    }
    const read = automatic === null ? found : found - (found % automatic.stepTokens)
    const lastForAnHour = beyond.findLast(({ mark }) => mark === '1h')
    const written = automatic?.countsWrites === false ? 0 : Math.max(0, (beyond.at(-1)?.tokens ?? read) - read)
    return { read, write: written, writeForAnHour: lastForAnHour === undefined ? 0 : lastForAnHour.tokens - found }
  }
}
