// Asks the service what can be asked without a key, and measures each answer from this browser.
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import type { PublicHead } from '../../evidence/records/tree-head.ts'
import type { Health } from '../../health.schema.ts'
import { answered, requestFile, sendRequest, UNREADABLE, type Answer } from '../api/send-request.ts'
import { useAnswer } from '../api/use-answer.ts'

/** An answer, when it came, and after how many milliseconds. */
export type Asked<T> = { answer: Answer<T>; at: Date; took: number }

/** What each component answered; null while it has not. */
export type Components = {
  health: Asked<Health> | null
  head: Asked<PublicHead> | null
  /** The first head of each day, newest first. */
  days: Asked<{ data: PublicHead[] }> | null
  checkpoint: Asked<Uint8Array> | null
  keys: Asked<PublishedKeyHistory> | null
  accounts: Asked<unknown> | null
}

/** The longest that the page waits for an answer. */
const LONGEST_MS = 10_000

/** Asks every component again whenever `askedAt` changes. */
export const useComponents = (askedAt: Date): Components => ({
  health: useAsked(askHealth, askedAt),
  head: useAsked(
    (signal) => sendRequest('GET', '/v1/public/transparency/sth', { signal, withinMs: LONGEST_MS }),
    askedAt,
  ),
  days: useAsked(
    (signal) => sendRequest('GET', '/v1/public/transparency/heads', { signal, withinMs: LONGEST_MS }),
    askedAt,
  ),
  checkpoint: useAsked(askCheckpoint, askedAt),
  keys: useAsked((signal) => sendRequest('GET', '/v1/attestation/keys', { signal, withinMs: LONGEST_MS }), askedAt),
  accounts: useAsked((signal) => sendRequest('GET', '/api/auth/providers', { signal, withinMs: LONGEST_MS }), askedAt),
})

async function askHealth(signal: AbortSignal): Promise<Answer<Health>> {
  const answer = await sendRequest<Health>('GET', '/healthz', { signal, withinMs: LONGEST_MS, answers: [503] })
  // A proxy may answer 503 too, with another body.
  const isOther = answer.outcome === 'answered' && !['ok', 'degraded'].includes(answer.body.status)
  return isOther ? { outcome: 'refused', problem: UNREADABLE } : answer
}

async function askCheckpoint(signal: AbortSignal): Promise<Answer<Uint8Array>> {
  const answer = await requestFile('GET', '/v1/public/transparency/checkpoint', { signal, withinMs: LONGEST_MS })
  return answer.outcome === 'refused' ? answer : answered(new Uint8Array(await answer.body.content.arrayBuffer()))
}

type Ask<T> = (signal: AbortSignal) => Promise<Answer<T>>

function useAsked<T>(ask: Ask<T>, askedAt: Date): Asked<T> | null {
  const [loaded] = useAnswer(
    async (signal) => answered({ askedAt, asked: await measured(ask, signal) }),
    [askedAt.getTime()],
  )
  // The answer of the time before stays loaded until the next one is here.
  return loaded.state === 'answered' && loaded.body.askedAt === askedAt ? loaded.body.asked : null
}

async function measured<T>(ask: Ask<T>, signal: AbortSignal): Promise<Asked<T>> {
  const began = performance.now()
  const answer = await ask(signal)
  return { answer, at: new Date(), took: performance.now() - began }
}
