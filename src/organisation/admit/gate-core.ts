// The common part of chat-gate.ts and referral-gate.ts: asks the organisation's object about a call and sends the rate in the
// response's headers. The isolate remembers refusals for a second, so that a flood of calls does not reach the object.
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
    const memoryKey = memoryKeyOf(key)
    refusals.countAsk(memoryKey)
    const answer = await c.get('timings').measure('organisation', asked)
    const refusal = refusesAll(answer, clock())
    if (refusal === null) refusals.forget(memoryKey)
    else refusals.remember(memoryKey, refusal)
    setRateHeaders(c, answer)
    return answer
  }

  const forget = (key: ParsedKey): void => refusals.forget(memoryKeyOf(key))
  return { objectOf, ask, forget, recall: (key: ParsedKey) => refusals.recall(memoryKeyOf(key)) }
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

/**
 * How long a refusal is remembered after the object gave it, and how often in that time the object is asked about a refused key.
 * Only what comes beyond is refused from memory, so that a raised limit or a revoked key counts from the next call of everybody
 * who does not flood.
 */
const REMEMBERED_MS = 1_000
const MOST_ASKS = 5
const MOST_KEYS = 10_000

/** Includes the secret's hash, because a refusal of another secret says nothing about this one. */
const memoryKeyOf = ({ keyId, secretHash }: ParsedKey): string => `${keyId} ${secretHash.toHex()}`

/** `asks`: how often the object was asked since `countedFrom`. Times are Unix milliseconds. */
type Remembered<R> = { refusal: R; givenAt: number; countedFrom: number; asks: number }

/** Returns true if `now` is in the time that begins at `from`. A clock that stepped back is not in it. */
const isWithin = (from: number, now: number): boolean => now >= from && now < from + REMEMBERED_MS

/** Never remembers that a key is good: a revocation must show with the next request. */
export function createRefusalMemory<R extends Refusal>(clock: Clock) {
  const refusals = new Map<string, Remembered<R>>()
  return {
    recall(key: string): R | null {
      const remembered = refusals.get(key)
      if (remembered === undefined) return null
      const now = clock()
      const { refusal, givenAt, countedFrom, asks } = remembered
      if (!isWithin(givenAt, now) || ('retryAt' in refusal && now >= refusal.retryAt)) {
        refusals.delete(key)
        return null
      }
      if (asks < MOST_ASKS || !isWithin(countedFrom, now)) return null
      return 'retryAt' in refusal ? { ...refusal, retryAfterSeconds: REMEMBERED_MS / 1000 } : refusal
    },
    /** Call it whenever the object is asked about the key. */
    countAsk(key: string): void {
      const remembered = refusals.get(key)
      if (remembered === undefined) return
      const now = clock()
      if (!isWithin(remembered.countedFrom, now)) Object.assign(remembered, { countedFrom: now, asks: 0 })
      remembered.asks += 1
    },
    /** Call it with each refusal that the object gives. */
    remember(key: string, refusal: R): void {
      const givenAt = clock()
      const { countedFrom, asks } = refusals.get(key) ?? { countedFrom: givenAt, asks: 1 }
      if (refusals.size >= MOST_KEYS) refusals.clear()
      refusals.set(key, { refusal, givenAt, countedFrom, asks })
    },
    forget: (key: string): void => void refusals.delete(key),
  }
}
