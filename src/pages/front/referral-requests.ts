// Sends the front page's requests to the referral API, and rewords refusals that concern the page's shared key.
import type { Infer } from '../../platform/once.ts'
import type { HeldAction, HeldResponse } from '../../referral/actions.ts'
import type { ReadResponse } from '../../referral/read.schema.ts'
import type { WaitingListsResponse } from '../../referral/waiting-lists/waiting-lists.schema.ts'
import { sendRequest, type Answer, type Problem } from '../api/send-request.ts'
import { plural } from '../text/format.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import type { Letter } from './letters.ts'

export type WaitingLists = Infer<typeof WaitingListsResponse>
export type AgeGroup = WaitingLists['ageGroup']

const HELD_STATUS = 409

/** Longer than the service waits for its readers. */
const LONGEST_READING_MS = 60_000

export const readLetter = async (
  { text, action }: Letter,
  key: KeyInUse,
  signal: AbortSignal,
): Promise<Answer<ReadResponse | HeldResponse>> => {
  const body = action === null ? { text } : { text, action }
  return withSharedKeyMessage(
    key,
    await sendRequest('POST', '/v1/referral/read', {
      body,
      key: key.value,
      answers: [HELD_STATUS],
      signal,
      withinMs: LONGEST_READING_MS,
    }),
  )
}

export const tryHeldAction = async (action: HeldAction, key: KeyInUse): Promise<Answer<HeldResponse>> =>
  withSharedKeyMessage(
    key,
    await sendRequest('POST', '/v1/referral/read', { body: { action }, key: key.value, answers: [HELD_STATUS] }),
  )

export const fetchWaitingLists = async (
  query: { specialty: string; ageGroup: AgeGroup },
  key: KeyInUse,
  signal: AbortSignal,
): Promise<Answer<WaitingLists>> =>
  withSharedKeyMessage(key, await sendRequest('GET', '/v1/waiting-lists', { query, key: key.value, signal }))

/** Rewords refusals of the page's shared key, because the visitor can use another key. */
function withSharedKeyMessage<T>({ from }: KeyInUse, answer: Answer<T>): Answer<T> {
  if (from !== 'page' || answer.outcome === 'answered') return answer
  const message = sharedKeyMessage(answer.problem)
  return message === null
    ? answer
    : { outcome: 'refused', problem: { ...answer.problem, message, retryAfterSeconds: null } }
}

function sharedKeyMessage({ status, retryAfterSeconds }: Problem): string | null {
  if (status === 401) return 'The shared key is no longer accepted. Use your own.'
  if (status !== 429) return null
  const wait = retryAfterSeconds === null ? 'wait a moment' : `wait ${plural(retryAfterSeconds, 'second')}`
  return `The shared key is busy: ${wait} or use your own.`
}
