// Decides who can be mailed about an event: roles that may open its page, in tiers where it happens. Pure.
import type { Permission } from '../../accounts/access/roles.policy.ts'
import type { NoticeType } from '../../notifications/notices.words.ts'
import type { Feature } from '../../policies/tier.policy.ts'

export const NOTICE_ACCESS: Readonly<Record<NoticeType, { needs: Permission; feature?: Feature }>> = {
  'approval.requested': { needs: 'approvals:read', feature: 'human_approval' },
  'budget.threshold_reached': { needs: 'usage:read' },
  'anomaly.detected': { needs: 'audit:read', feature: 'bias_detection' },
  'key.expiring': { needs: 'keys:read' },
  'policy.changed': { needs: 'policies:read' },
}
