// The common part of chat-gate.ts and referral-gate.ts: asks the organisation's object about a call and sends the rate in the
// response's headers. The isolate remembers refusals, so that a flood of calls does not reach the object.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { InvalidKey } from '../../keys/key-rules.policy.ts'
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { reachForAdmission, type OpenOrganisation } from '../organisation-client.ts'
import type { Organisation } from '../organisation.do.ts'
import type { CallerKey } from './check-call.ts'

type Refusal = LimitRefusal | InvalidKey

type Answer = InvalidKey | { outcome: string; rate: RateState }

export type ObjectCall<T> = (object: DurableObjectStub<Organisation>, caller: CallerKey) => Promise<T>

type Parts<R extends Refusal, A extends Answer> = {
  open: OpenOrganisation
  clock: Clock
  /** Returns the refusal in an answer if it refuses every call of the key alike; else null. */
  refusesAll: (answer: A, now: number) => R | null
}

export function createGateCore<R extends Refusal, A extends Answer>({ open, clock, refusesAll }: Parts<R, A>) {
  const refusals = createRefusalMemory<R>(clock)
  const objectOf = (key: ParsedKey) => open({ id: key.organisationId, jurisdiction: key.jurisdiction })

  /** Asks the organisation's object. Throws `service_unavailable` when it cannot be reached: never a free pass. */
  async function ask<T extends A>(c: AppContext, key: ParsedKey, call: ObjectCall<T>): Promise<T> {
    const caller = { keyId: key.keyId, secretHash: key.secretHash }
    const asked = () => reachForAdmission(c, () => call(objectOf(key), caller))
    const answer = await c.get('timings').measure('organisation', asked)
    const refusal = refusesAll(answer, clock())
    if (refusal !== null) refusals.remember(memoryKeyOf(key), refusal)
    setRateHeaders(c, answer)
    return answer
  }

  return { objectOf, ask, recall: (key: ParsedKey) => refusals.recall(memoryKeyOf(key)) }
}

/** Sends the rate in headers, but never to a bad key. Returns the answer. */
export function setRateHeaders<T extends Answer | null>(c: AppContext, answer: T): T {
  if (answer === null || !('rate' in answer)) return answer
  const { rate } = answer
  c.header('x-ratelimit-limit', String(rate.limit))
  c.header('x-ratelimit-remaining', String(rate.remaining))
  c.header('x-ratelimit-reset', String(rate.resetAt))
  return answer
}

type LimitRefusal = { outcome: string; rate: RateState; retryAt: number; retryAfterSeconds: number }

/** A raised limit takes effect after this time at the latest. */
const REMEMBERED_MS = 10_000
const MOST_KEYS = 10_000

type RefusalMemory<R> = {
  recall(key: string): R | null
  remember(key: string, refusal: R): void
}

/** Includes the secret's hash, because a refusal of another secret says nothing about this one. */
const memoryKeyOf = ({ keyId, secretHash }: ParsedKey): string => `${keyId} ${secretHash.toHex()}`

/** Never remembers that a key is good: a revocation must show with the next request. */
export function createRefusalMemory<R extends Refusal>(clock: Clock): RefusalMemory<R> {
  const refusals = new Map<string, { refusal: R; since: number; until: number }>()
  return {
    recall(key) {
      const remembered = refusals.get(key)
      if (remembered === undefined) return null
      const now = clock()
      if (now >= remembered.until || now < remembered.since) {
        refusals.delete(key)
        return null
      }
      const { refusal } = remembered
      if (!('retryAt' in refusal)) return refusal
      return { ...refusal, retryAfterSeconds: Math.max(1, Math.ceil((refusal.retryAt - now) / 1000)) }
    },
    remember(key, refusal) {
      if (refusals.has(key)) return
      if (refusals.size >= MOST_KEYS) refusals.clear()
      const since = clock()
      const retryAt = 'retryAt' in refusal ? refusal.retryAt : Infinity
      refusals.set(key, { refusal, since, until: Math.min(retryAt, since + REMEMBERED_MS) })
    },
  }
}
