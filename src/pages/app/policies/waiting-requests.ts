// The requests that wait for approval, or are approved and have not run. A change of the policy withdraws them.
import { useState } from 'preact/hooks'
import { useAnswer } from '../../api/use-answer.ts'
import { answered, bodyOf, type Answer } from '../../api/send-request.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { callApi, hasPermission, hasTierFeature } from '../session.ts'

/** The most requests of a state that are named. */
const MOST_NAMED = 100

const NONE: readonly NamedApproval[] = []

export type WaitingRequests = {
  /** Null while they are read. */
  shown: readonly NamedApproval[] | null
  readAgain: () => void
}

/** Reads the requests, for people who may change the policy and see them. @param on a change reads them again */
export function useWaitingRequests(on: readonly unknown[]): WaitingRequests {
  const [times, setTimes] = useState(0)
  const [loaded] = useAnswer(
    async (signal) => {
      const read = await readWaiting(signal)
      return answered({ times, requests: bodyOf(read) ?? NONE })
    },
    [...on, times],
  )
  const isRead = loaded.state === 'answered' && loaded.body.times === times
  return {
    shown: isRead ? loaded.body.requests : loaded.state === 'refused' ? NONE : null,
    readAgain: () => setTimes((before) => before + 1),
  }
}

async function readWaiting(signal: AbortSignal): Promise<Answer<readonly NamedApproval[]>> {
  const isShown =
    hasPermission('policies:change') && hasPermission('approvals:read') && hasTierFeature('human_approval')
  if (!isShown) return answered(NONE)
  const [pending, approved] = await Promise.all(
    ['pending', 'approved'].map((state) =>
      callApi<List<NamedApproval>>('GET', '/api/approvals', { query: { state, limit: MOST_NAMED }, signal }),
    ),
  )
  if (pending?.outcome !== 'answered') return pending ?? answered(NONE)
  if (approved?.outcome !== 'answered') return approved ?? answered(NONE)
  return answered([...pending.body.data, ...approved.body.data])
}
