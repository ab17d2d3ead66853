// Decides which events become notices, and what a mail about one says. SECURITY: a mail has counts, amounts and
// names of this service alone, no text of a call, a policy or a member: anybody may read a mailbox.
import { organisationInMail, type Mail } from '../platform/mail.ts'
import type { Notice, WaitingNotice } from './member-notices.store.ts'
import { nameOfNotices, NOTICE_TYPES, pageOfNotice, type NoticeType } from './notices.words.ts'
import type { EventData, NotificationEvent } from './webhook-events.ts'

export function noticeOf({ type, data }: NotificationEvent): Notice | null {
  if (type === 'budget.threshold_reached') return { type, detail: describeBudget(data) }
  if (type === 'policy.changed') return { type, detail: `Version ${data.version} is in force.` }
  return isNotice(type) ? { type, detail: null } : null
}

const isNotice = (type: string): type is NoticeType => NOTICE_TYPES.some((notice) => notice === type)

const describeBudget = ({ period, key_id, percent }: EventData['budget.threshold_reached']): string =>
  `${percent}% of ${key_id === null ? 'the budget' : 'a key’s budget'} of the ${period} is used.`

type To = { to: string; origin: string; organisation: { id: string; name: string } }

export function noticeMail({ to, origin, organisation }: To, { type, count, detail, since }: WaitingNotice): Mail {
  const what = nameOfNotices(type, count)
  const link = (path: string): string => `${origin}${path}?org=${organisation.id}`
  return {
    to,
    subject: what,
    text: [
      `In ${organisationInMail(organisation.name)} at ${origin}, since ${new Date(since).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${what.toLowerCase()}.${detail === null ? '' : ` ${detail}`}`,
      link(pageOfNotice(type)),
      `You chose this mail. There is at most one an hour of each kind. To change it: ${link('/app/notices')}`,
      '',
    ].join('\n\n'),
  }
}
