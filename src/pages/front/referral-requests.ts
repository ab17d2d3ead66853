// Sends the front page's requests to the referral API, and rewords refusals that concern the page's shared key.
import type { Infer } from '../../platform/once.ts'
import type { HeldAction, HeldResponse } from '../../referral/actions.ts'
import type { ReadResponse } from '../../referral/read.schema.ts'
import type { WaitingListsResponse } from '../../referral/waiting-lists/waiting-lists.schema.ts'
import { sendRequest, type Answer, type Method, type Problem, type RequestOptions } from '../api/send-request.ts'
import { plural } from '../text/format.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import type { Letter } from './letters.ts'

export type WaitingLists = Infer<typeof WaitingListsResponse>
export type AgeGroup = WaitingLists['ageGroup']

const HELD_STATUS = 409

/** Longer than the service waits for its readers. */
const LONGEST_READING_MS = 60_000

export const readLetter = (
  { text, action }: Letter,
  key: KeyInUse,
  signal: AbortSignal,
): Promise<Answer<ReadResponse | HeldResponse>> =>
  askBy(key, 'POST', '/v1/referral/read', {
    body: action === null ? { text } : { text, action },
    answers: [HELD_STATUS],
    signal,
    withinMs: LONGEST_READING_MS,
  })

export const tryHeldAction = (action: HeldAction, key: KeyInUse): Promise<Answer<HeldResponse>> =>
  askBy(key, 'POST', '/v1/referral/read', { body: { action }, answers: [HELD_STATUS] })

export const fetchWaitingLists = (
  query: { specialty: string; ageGroup: AgeGroup },
  key: KeyInUse,
  signal: AbortSignal,
): Promise<Answer<WaitingLists>> => askBy(key, 'GET', '/v1/waiting-lists', { query, signal })

/** Sends a request with a key. Rewords refusals of the page's shared key, because the visitor can use another key. */
async function askBy<T>(key: KeyInUse, method: Method, path: string, request: RequestOptions): Promise<Answer<T>> {
  const answer = await sendRequest<T>(method, path, { ...request, key: key.value })
  if (key.from !== 'page' || answer.outcome === 'answered') return answer
  const message = sharedKeyMessage(answer.problem)
  if (message === null) return answer
  return { outcome: 'refused', problem: { ...answer.problem, message, retryAfterSeconds: null } }
}

function sharedKeyMessage({ status, retryAfterSeconds }: Problem): string | null {
  if (status === 401) return 'The shared key is no longer accepted. Use your own.'
  if (status !== 429) return null
  const wait = retryAfterSeconds === null ? 'wait a moment' : `wait ${plural(retryAfterSeconds, 'second')}`
  return `The shared key is busy: ${wait} or use your own.`
}
