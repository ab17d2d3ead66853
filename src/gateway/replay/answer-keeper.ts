// Keeps the answer of one call while it is sent, and puts it away once it has been sent to its end.
import type { KeptAnswerPlan } from '../../organisation/admit/keep-answer.ts'
import type { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import { errorAnswer } from '../../platform/render-error.ts'
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
  /** Puts it away, where that is wanted, and lets go of it. Never rejects; over within seconds. To be called once, in every case. */
  readonly put: (isWanted: boolean) => Promise<boolean>
  /** Deletes what may have been put, where its call is nobody's any more. Never rejects. */
  readonly discard: () => Promise<void>
  readonly plan: KeptAnswerPlan
}

type Keeping = {
  plan: KeptAnswerPlan
  store: Pick<KeptAnswersStore, 'put' | 'delete'>
  openCopy: () => AnswerCopy
  requestId: string
  /** Of every answer to the call. */
  headers: Record<string, string>
}

export function createAnswerKeeper({ plan, store, openCopy, requestId, headers }: Keeping): AnswerKeeper {
  let head: AnswerHead | null = null
  let copy = openCopy()
  let mayBeThere = false

  return {
    plan,
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
    async put(isWanted) {
      const body = isWanted ? copy.bytes() : null
      try {
        if (head === null || body === null) return false
        mayBeThere = true
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
      if (mayBeThere) await store.delete(plan.place).catch((thrown: unknown) => logUnexpected(thrown, requestId))
    },
  }
}

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
