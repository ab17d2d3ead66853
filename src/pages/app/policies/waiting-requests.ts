// The requests that wait for approval, or are approved and have not run. A change of the policy withdraws them.
import { useState } from 'preact/hooks'
import { useAnswer } from '../../api/use-answer.ts'
import { answered, bodyOf } from '../../api/send-request.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { callApi, hasPermission, hasTierFeature } from '../session.ts'

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
  const [loaded] = useAnswer(async (signal) => answered({ times, requests: await readWaiting(signal) }), [...on, times])
  const isRead = loaded.state === 'answered' && loaded.body.times === times
  return {
    shown: isRead ? loaded.body.requests : loaded.state === 'refused' ? NONE : null,
    readAgain: () => setTimes((before) => before + 1),
  }
}

async function readWaiting(signal: AbortSignal): Promise<readonly NamedApproval[]> {
  const isShown =
    hasPermission('policies:change') && hasPermission('approvals:read') && hasTierFeature('human_approval')
  if (!isShown) return NONE
  const lists = await Promise.all(
    ['pending', 'approved'].map((state) =>
      callApi<List<NamedApproval>>('GET', '/api/approvals', { query: { state, limit: MOST_NAMED }, signal }),
    ),
  )
  // One without the other would look like all of them.
  return lists.some(({ outcome }) => outcome === 'refused') ? NONE : lists.flatMap((list) => bodyOf(list)?.data ?? NONE)
}
