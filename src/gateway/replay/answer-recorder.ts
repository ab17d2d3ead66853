// Copies the answer of one call while it is sent, and stores the copy for replays after its end.
import type { AnswerPlan } from '../../organisation/admit/answer-reuse.ts'
import type { AppError, ErrorForm } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import { errorAnswer } from '../../platform/render-error.ts'
import type { AnswerBuffer } from '../memory/answer-memory.ts'
import type { ResponseStream } from '../stream/response-stream.ts'
import type { AnswerHead, StoredAnswersStore } from './stored-answers.store.ts'

export type AnswerRecorder = {
  /** Starts an answer whose body follows: in one piece, or through `recordStream`. */
  readonly begin: (head: AnswerHead) => void
  readonly add: (pieces: Iterable<Uint8Array>) => void
  /** Records an error instead of the answer so far. */
  readonly recordError: (error: AppError) => void
  /** Stores the copy if wanted, and frees it. Never rejects; takes seconds at most. Call it exactly once for each call. */
  readonly put: (isWanted: boolean) => Promise<boolean>
  /** Deletes a stored copy, for a call whose organisation was erased. Never rejects. */
  readonly discard: () => Promise<void>
  readonly plan: AnswerPlan
}

type RecorderDeps = {
  plan: AnswerPlan
  store: Pick<StoredAnswersStore, 'put' | 'delete'>
  openBuffer: () => AnswerBuffer
  requestId: string
  errors: ErrorForm
  headers: Record<string, string>
}

export function createAnswerRecorder({
  plan,
  store,
  openBuffer,
  requestId,
  errors,
  headers,
}: RecorderDeps): AnswerRecorder {
  let head: AnswerHead | null = null
  let copy = openBuffer()
  let mayBeStored = false

  return {
    plan,
    begin(begun) {
      head = { ...begun, headers: { ...headers, ...begun.headers } }
    },
    add: (pieces) => copy.add(pieces),
    recordError(error) {
      copy.release()
      copy = openBuffer()
      const { status, headers: errorHeaders, body } = errorAnswer(error, requestId, errors)
      head = { status, headers: { ...headers, ...errorHeaders, 'content-type': 'application/json' } }
      copy.add([new TextEncoder().encode(JSON.stringify(body))])
    },
    async put(isWanted) {
      const body = isWanted ? copy.bytes() : null
      try {
        if (head === null || body === null) return false
        mayBeStored = true
        await store.put(plan.place, { ...head, body })
        return true
      } catch (thrown) {
        logUnexpected(thrown, requestId)
        return false
      } finally {
        copy.release()
      }
    },
    async discard() {
      if (mayBeStored) await store.delete(plan.place).catch((thrown: unknown) => logUnexpected(thrown, requestId))
    },
  }
}

export const recordStream = (stream: ResponseStream, { add }: Pick<AnswerRecorder, 'add'>): ResponseStream => ({
  ...stream,
  send(events) {
    add(events)
    stream.send(events)
  },
  close(last = [], ifUnread) {
    const pieces = [...last]
    add(pieces)
    stream.close(pieces, ifUnread)
  },
})
