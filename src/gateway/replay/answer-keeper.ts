// Keeps the answer of one call while it is sent, and puts it away once it has been sent to its end.
import type { KeptPlace } from '../../organisation/repeated-chat.ts'
import type { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import { errorAnswer } from '../../platform/render-error.ts'
import type { Failure } from '../../providers/failure.ts'
import type { AnswerCopy } from '../memory/answer-copy.ts'
import type { Outlet } from '../stream/outlet.ts'
import type { AnswerHead } from './kept-answer.ts'
import type { KeptAnswersStore } from './kept-answers.store.ts'

export type AnswerKeeper = {
  /** Of an answer whose body comes next: in one piece, or through `copying`. */
  readonly begin: (head: AnswerHead) => void
  readonly add: (pieces: Iterable<Uint8Array>) => void
  /** Of an answer that is an error, in place of what was begun. */
  readonly tellError: (error: AppError) => void
  /** Puts it away, if all of it was sent. Never rejects; over within seconds. To be called once, in every case. */
  readonly put: (failure: Failure | null) => Promise<void>
}

type Keeping = {
  place: KeptPlace
  store: Pick<KeptAnswersStore, 'put'>
  openCopy: () => AnswerCopy
  requestId: string
  /** Of every answer to the call. */
  headers: Record<string, string>
}

export function createAnswerKeeper({ place, store, openCopy, requestId, headers }: Keeping): AnswerKeeper {
  let head: AnswerHead | null = null
  let copy = openCopy()

  return {
    begin(begun) {
      head = { ...begun, headers: { ...headers, ...begun.headers } }
    },
    add: (pieces) => copy.add(pieces),
    tellError(error) {
      copy.release()
      copy = openCopy()
      const { status, headers: own, body } = errorAnswer(error, requestId)
      head = { status, headers: { ...headers, ...own, 'content-type': 'application/json' } }
      copy.add([new TextEncoder().encode(JSON.stringify(body))])
    },
    async put(failure) {
      const body = wasSent(failure) ? copy.bytes() : null
      try {
        if (head !== null && body !== null) await store.put(place, { ...head, body })
      } catch (thrown) {
        logUnexpected(thrown, requestId)
      } finally {
        copy.release()
      }
    },
  }
}

/** Its caller was there to the end, and something was done. */
const wasSent = (failure: Failure | null): boolean =>
  failure === null || (cameToSomething(failure) && failure.kind !== 'cancelled')

/** Whether a model may have begun with the call. */
export const cameToSomething = (failure: Failure | null): boolean => failure?.billed !== 'no'

/** An outlet all of whose pieces are kept too. */
export const copying = (outlet: Outlet, { add }: Pick<AnswerKeeper, 'add'>): Outlet => ({
  ...outlet,
  send(events) {
    add(events)
    outlet.send(events)
  },
  close(last = [], ifUnread = []) {
    const pieces = [...last]
    add(pieces)
    outlet.close(pieces, ifUnread)
  },
})
