// The notices that the person may choose: what can happen in this organisation, and may be seen in this role.
import { NOTICE_ACCESS } from '../../../management/notifications/notices.policy.ts'
import { NOTICE_TYPES, type NoticeType } from '../../../notifications/notices.words.ts'
import { hasPermission, hasTierFeature } from '../session.ts'

export const availableNotices = (): NoticeType[] =>
  NOTICE_TYPES.filter((type) => {
    const { needs, feature } = NOTICE_ACCESS[type]
    return hasPermission(needs) && (feature === undefined || hasTierFeature(feature))
  })
