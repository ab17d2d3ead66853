// What a repeated call is answered with where its first answer is not given again.
import type { KeptPlace, RepeatedChat } from '../../organisation/admit/repeated-chat.ts'
import { AppError } from '../../platform/errors.ts'
import { IDEMPOTENCY_HEADER } from '../../platform/form.ts'

const RUNNING_SECONDS = 2
const UNREAD_SECONDS = 5

/** Where the first answer is kept. Throws where it is not to be given. */
export function keptAnswerOf(repeated: RepeatedChat): KeptPlace {
  if (repeated.outcome === 'other_request') {
    throw new AppError('idempotency_conflict', OTHER_REQUEST, { param: IDEMPOTENCY_HEADER })
  }
  if (repeated.isRunning) {
    throw new AppError('conflict', RUNNING, { param: IDEMPOTENCY_HEADER, retryAfterSeconds: RUNNING_SECONDS })
  }
  if (repeated.answer === null) throw answerNotKept()
  return repeated.answer
}

export const answerNotKept = (): AppError => new AppError('conflict', NOT_KEPT, { param: IDEMPOTENCY_HEADER })

export const answerNotRead = (): AppError =>
  new AppError('service_unavailable', NOT_READ, { retryAfterSeconds: UNREAD_SECONDS })

const OTHER_REQUEST =
  'Another request was made with this idempotency-key, and this one was not run. Send a new key with each request that is another.'
const RUNNING =
  'The first request with this idempotency-key is still being answered, and this one was not run. Wait for that answer, or send this again later.'
const NOT_KEPT =
  'This request was made before with this idempotency-key and was not run again, and what it was answered is not kept. A new key has it run anew; whether a model was asked the first time is in your ledger.'
const NOT_READ =
  'The answer that is kept for this idempotency-key cannot be read at this moment. Send it again in a few seconds.'
