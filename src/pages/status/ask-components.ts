// Asks the service what can be asked without a key, and measures each answer from this browser.
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import type { PublicHead } from '../../evidence/records/tree-head.ts'
import type { Health } from '../../health.schema.ts'
import {
  answered,
  requestFile,
  sendRequest,
  UNREADABLE,
  type Answer,
  type RequestOptions,
} from '../api/send-request.ts'
import { useAnswer } from '../api/use-answer.ts'

/** An answer, when it came, and after how many milliseconds. */
export type Asked<T> = { answer: Answer<T>; at: Date; took: number }

/** The answer of each component, null until it comes. All are asked again when `askedAt` changes. */
export const useComponents = (askedAt: Date) => ({
  health: useAsked(askHealth, askedAt),
  head: useAsked((options) => sendRequest<PublicHead>('GET', '/v1/public/transparency/sth', options), askedAt),
  checkpoint: useAsked((options) => requestFile('GET', '/v1/public/transparency/checkpoint', options), askedAt),
  keys: useAsked((options) => sendRequest<PublishedKeyHistory>('GET', '/v1/attestation/keys', options), askedAt),
  accounts: useAsked((options) => sendRequest('GET', '/api/auth/providers', options), askedAt),
})

export type Components = ReturnType<typeof useComponents>

async function askHealth(options: RequestOptions): Promise<Answer<Health>> {
  const answer = await sendRequest<Health>('GET', '/healthz', { ...options, answers: [503] })
  // A proxy may answer 503 too, with another body.
  const isOther = answer.outcome === 'answered' && !['ok', 'degraded'].includes(answer.body.status)
  return isOther ? { outcome: 'refused', problem: UNREADABLE } : answer
}

function useAsked<T>(ask: (options: RequestOptions) => Promise<Answer<T>>, askedAt: Date): Asked<T> | null {
  const [loaded] = useAnswer(
    async (signal) => {
      const began = performance.now()
      const answer = await ask({ signal, withinMs: 10_000 })
      return answered({ askedAt, asked: { answer, at: new Date(), took: performance.now() - began } })
    },
    [askedAt.getTime()],
  )
  // The answer of the time before stays loaded until the next one is here.
  return loaded.state === 'answered' && loaded.body.askedAt === askedAt ? loaded.body.asked : null
}
