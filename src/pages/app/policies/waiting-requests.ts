// The requests that wait for a person, which a change of the policy withdraws.
import { useAnswer } from '../../api/use-answer.ts'
import { answered } from '../../api/send-request.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { callApi, hasPermission, hasTierFeature } from '../session.ts'

/** The most requests that can wait at once. */
const MOST_WAITING = 100

const NONE: readonly ShownApproval[] = []

/** Returns the waiting requests, for people who may change the policy and see them. Null while they load. @param on a change loads them again */
export function useWaitingRequests(on: readonly unknown[]): readonly ShownApproval[] | null {
  const isShown =
    hasPermission('policies:change') && hasPermission('approvals:read') && hasTierFeature('human_approval')
  const [loaded] = useAnswer<List<ShownApproval> | null>(
    async (signal) =>
      isShown
        ? callApi('GET', '/api/approvals', { query: { state: 'pending', limit: MOST_WAITING }, signal })
        : answered(null),
    on,
  )
  if (loaded.state === 'loading') return null
  return loaded.state === 'answered' ? (loaded.body?.data ?? NONE) : NONE
}
