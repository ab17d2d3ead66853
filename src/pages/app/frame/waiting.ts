// How many requests wait for a person to decide, beside the way to them.
import type { z } from 'zod'
import type { ApprovalSchema } from '../../../organisation/approvals/shown-approval.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { callIn } from '../call-in.ts'
import { mayIn } from '../may-in.ts'

const MOST_COUNTED = 100

/** To be asked again once something was decided. */
export async function showWaiting(session: Session): Promise<void> {
  const badge = document.querySelector('#waiting')
  if (badge === null || !mayIn(session, 'approvals:read')) return
  const answer = await callIn<List<z.infer<typeof ApprovalSchema>>>(session, 'GET', '/api/approvals', {
    query: { state: 'pending', limit: MOST_COUNTED },
  })
  if (answer.outcome === 'refused') return
  const { data, has_more: hasMore } = answer.body
  badge.toggleAttribute('hidden', data.length === 0)
  badge.textContent = `${data.length}${hasMore ? '+' : ''} waiting`
}
