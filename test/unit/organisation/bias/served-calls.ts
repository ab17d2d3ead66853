// Calls of an organisation as they were served, each at a time of its own: through the real turns, many of them at once.
import { runInDurableObject } from 'cloudflare:test'
import { vi } from 'vitest'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { objectOf } from '../../notifications/receiver.ts'
import { factsOf, type ChatKey, type ChatOrganisation, type FactsChange } from '../chat-organisation.ts'

export type Ending = 'completed' | 'failed' | 'refused' | 'blocked'

export type Calls = { key: ChatKey; count: number; ending: Ending; facts?: FactsChange }

/** The only provider that `blocked` calls are for: leave it out of those that the organisation has enabled. */
export const BLOCKED_PROVIDER = 'perplexity' as const

/** From `at` on, ten seconds apart. The clock then stands after them. */
export async function serve(organisation: ChatOrganisation, at: number, calls: readonly Calls[]): Promise<void> {
  await runInDurableObject(objectOf(organisation), (object: Organisation) => {
    let now = at
    for (const { key, count, ending, facts } of calls) {
      for (let n = 0; n < count; n += 1) {
        vi.setSystemTime((now += 10_000))
        serveOne(object, key, ending, facts)
      }
    }
  })
}

function serveOne(object: Organisation, key: ChatKey, ending: Ending, facts: FactsChange = {}): void {
  const provider = ending === 'blocked' ? { provider: BLOCKED_PROVIDER } : {}
  const admission = object.admitChat(factsOf(key, { ...facts, ...provider }))
  if (ending === 'blocked' && 'record' in admission && admission.record.outcome === 'BLOCKED') return
  if (admission.outcome !== 'admitted') throw new Error(`not admitted: ${admission.outcome}`)
  object.settleChat({
    position: admission.position,
    factsSha256: admission.factsSha256,
    retentionDays: admission.retentionDays,
    ended: ending === 'failed' ? 'failed' : 'completed',
    costMicroeur: 100,
    usage: null,
    estimated: false,
    upstreamMs: 200,
    finishReason: ending === 'refused' ? 'content_filter' : 'stop',
    errorCause: ending === 'failed' ? 'upstream_error' : null,
  })
}

/** The morning of a day, counted from the one of `noon`. */
export const morningOf = (noon: number, day: number): number =>
  Math.floor(noon / DAY_MS) * DAY_MS + day * DAY_MS + 60 * MINUTE_MS
