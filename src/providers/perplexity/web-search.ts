// What Perplexity takes of `web_search_options`: how much is looked up, and where the caller is. Its time is not known there
// (https://docs.perplexity.ai/api-reference/agent-post, WebSearchTool).
import { unsupported, type Unsupported } from '../failure.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { ChatRequest } from '../request.ts'

export function webSearchFault({ webSearch }: ChatRequest): Unsupported | null {
  if (webSearch?.location?.timezone === undefined) return null
  return unsupported(
    'web_search_options.user_location.approximate.timezone',
    'Perplexity takes no time zone: send country, region or city, or leave it out.',
  )
}

/** The same two members in both of its dialects; null where nothing is asked for, so that its own defaults hold. */
export function encodeWebSearch({ webSearch }: ChatRequest): JsonObject | null {
  const { contextSize, location } = webSearch ?? {}
  const { country, region, city } = location ?? {}
  const isPlaced = (country ?? region ?? city) !== undefined
  if (contextSize === undefined && !isPlaced) return null
  return { search_context_size: contextSize, user_location: isPlaced ? { country, region, city } : undefined }
}
