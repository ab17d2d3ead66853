// Part of the settings: how long details of calls are kept, and everything else.
import { retentionWarningText, SIX_MONTHS_DAYS } from '../../../policies/log-retention.policy.ts'
import { actRetentionDays, tierPlan } from '../../../policies/tier.policy.ts'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { SettingField } from './setting-fields.view.tsx'
import { Part, PartFields, type PartProps } from './part-frame.view.tsx'
import { retentionWords, type Values } from './settings-members.ts'
import { Text, Soft } from '../../parts/layout.view.tsx'
import { CardFoot, HeadedCard } from '../../parts/surfaces.view.tsx'

export function RetentionPart({ editing }: PartProps) {
  const { settings, values } = editing
  const byTier = plural(tierPlan(settings.tier).retentionDays, 'day')
  const retentionDays = values.retention_days ?? tierPlan(settings.tier).retentionDays
  return (
    <Part
      id="retention"
      lead="How long the details of a call are kept. The hash of its record stays in the log for ever."
      more={
        <HeadedCard level={3} isList title="What is kept, and for how long">
          <Table
            caption="What is kept, and for how long"
            isCaptionHidden
            columns={[
              { name: 'What', cell: ([what]) => what },
              { name: 'How long', cell: ([, time]) => <Text isOneLine>{time}</Text> },
              { name: 'Then', cell: ([, , afterwards]) => <Soft>{afterwards}</Soft> },
            ]}
            rows={retentionRows(settings)}
            keyOf={([what]) => what}
          />
          <CardFoot>
            Once its time is over, nobody is given a detail. It is deleted within a day, from archives within two, and
            lapses from the operator’s recovery copies 30 days later.
          </CardFoot>
        </HeadedCard>
      }
    >
      <PartFields
        id="retention"
        editing={editing}
        beside={
          <Notice title="A change applies to new calls only">
            Calls that were made before it keep the time that they were given.
          </Notice>
        }
      >
        <SettingField
          editing={editing}
          name="retention_days"
          hint={`${tierName(settings.tier)} allows ${retentionWords(settings.tier)}. Empty: what the tier gives, ${byTier}.`}
        />
        {retentionDays < SIX_MONTHS_DAYS && (
          <Notice title="Less than six months" tone="warn" role="note">
            {retentionWarningText({ retentionDays, isHighRisk: false })}
          </Notice>
        )}
      </PartFields>
    </Part>
  )
}

type RetentionRow = readonly [what: string, time: string, afterwards: string]

const HASH_STAYS = 'Deleted. The hash stays.'

const retentionRows = ({ limits, content_logging: content, idempotent_replays: replays }: Values): RetentionRow[] => [
  ['Details of calls: outcome, model, cost, steps of approvals', plural(limits.retention_days, 'day'), HASH_STAYS],
  content === null
    ? ['Prompts and answers', 'Not kept', 'Nothing to delete']
    : ['Prompts and answers', plural(content.retention_days, 'day'), HASH_STAYS],
  [
    'What people, keys and the operator did',
    plural(actRetentionDays({ retentionDays: limits.retention_days }), 'day'),
    HASH_STAYS,
  ],
  ['Referral readings', '30 days', HASH_STAYS],
  replays
    ? ['First answers, for calls that are sent again', '1 day', 'Deleted']
    : ['First answers, for calls that are sent again', 'Off', 'Nothing to delete'],
  ['Stored answers, as the policy says', 'At most 30 days', 'Deleted'],
  ['Counts by hour', '35 days', 'Deleted'],
  ['Counts by day, key, model and use case', '762 days', 'Deleted'],
  ['Hashes of all entries', 'For ever', 'They say nothing by themselves'],
]
