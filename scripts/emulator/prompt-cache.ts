// Emulates Anthropic's prompt cache, which `cache_control` marks fill. It stores hashes of prompt beginnings in memory, by key and
// model. A reset clears it, and so do too many entries.

import { createHash } from 'node:crypto'
import { countCharacters, tokensOfCharacters, TOKENS_OF_MEDIA } from './count-tokens.ts'
import type { CachePoint } from './model-request.ts'

const LEAST_TOKENS = 1024
const MOST_KEPT = 10_000

export interface PromptBlock {
  /** The block as JSON without its own mark. A mark does not make it another prompt. */
  value: unknown
  text: string
  media: number
  mark: CachePoint['mark']
}

export interface CacheUse {
  read: number
  /** All tokens written, including those cached for an hour. */
  write: number
  writeForAnHour: number
}

export const NOTHING_CACHED: CacheUse = { read: 0, write: 0, writeForAnHour: 0 }

/** Returns a cache point at the end of each block, or none if no block is marked. */
export function cachePoints(blocks: readonly PromptBlock[]): CachePoint[] {
  if (blocks.every(({ mark }) => mark === null)) return []
  let characters = 0
  let media = 0
  let prefix = ''
  return blocks.map(({ value, text, media: own, mark }) => {
    characters += countCharacters(text)
    media += own
    const json = JSON.stringify(value, (name, inner: unknown) => (name === 'cache_control' ? undefined : inner))
    prefix = createHash('sha256').update(prefix).update(json).digest('base64')
    return { prefix, tokens: tokensOfCharacters(characters) + media * TOKENS_OF_MEDIA, mark }
  })
}

export class PromptCache {
  #written = new Set<string>()

  clear(): void {
    this.#written.clear()
  }

  /** Reads and writes this prompt. `owner` separates the caches of keys and models. */
  use(owner: string, points: readonly CachePoint[]): CacheUse {
    const last = points.findLastIndex(({ mark, tokens }) => mark !== null && tokens >= LEAST_TOKENS)
    const reachable = points.slice(0, last + 1)
    const read = reachable.findLast(({ prefix }) => this.#written.has(`${owner} ${prefix}`))?.tokens ?? 0
    const marked = reachable.filter(({ mark, tokens }) => mark !== null && tokens >= LEAST_TOKENS)
    if (this.#written.size > MOST_KEPT) this.clear()
    for (const { prefix } of marked) this.#written.add(`${owner} ${prefix}`)
    const added = marked.filter(({ tokens }) => tokens > read)
    const hour = added.findLast(({ mark }) => mark === '1h')
    return { read, write: (added.at(-1)?.tokens ?? read) - read, writeForAnHour: (hour?.tokens ?? read) - read }
  }
}
