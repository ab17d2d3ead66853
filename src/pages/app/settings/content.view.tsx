// Two parts of the settings: how long details of calls are kept, and prompts and answers: how long, who may read them, their erasure.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ContentErasure } from '../../../management/content/content.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Facts, Notice } from '../../parts/page-blocks.view.tsx'
import { AmountField } from '../../parts/unit-field.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { capitalised, listed } from '../../text/reword-text.ts'
import { formatUnits, TIME_UNITS } from '../../text/units.ts'
import { callApi, hasPermission, inOrganisation, useApi } from '../session.ts'
import { changedMark, ConfirmByName, Part, PartFields, type PartProps } from './part-frame.view.tsx'
import { retentionWords, type Values } from './settings-members.ts'
import { SwitchRow } from '../../parts/switch.view.tsx'
import { HeadedCard, CardFoot } from '../../parts/surfaces.view.tsx'
import { retentionWarningText, SIX_MONTHS_DAYS } from '../../../policies/log-retention.policy.ts'
import { actRetentionDays, tierPlan } from '../../../policies/tier.policy.ts'
import { Table } from '../../parts/table.view.tsx'
import { tierName } from '../../text/id-labels.ts'
import { SettingField } from './setting-fields.view.tsx'
import { Text, Soft } from '../../parts/layout.view.tsx'

export function ContentPart({ editing }: PartProps) {
  const { settings, values, edit, faultOf } = editing
  const { content_logging: kept } = values
  const most = settings.limits.retention_days
  // Switched off and on again, it has the days that were typed.
  const [days, setDays] = useState(kept?.retention_days ?? Math.min(30, most))
  return (
    <Part
      id="content"
      more={
        <>
          <Readers />
          {hasPermission('content:erase') && (
            <HeadedCard level={3} title="Erase what is kept">
              <EraseContent />
            </HeadedCard>
          )}
        </>
      }
    >
      <PartFields id="content" editing={editing}>
        <SwitchRow
          label="Keep what is sent and answered in calls that pass"
          mark={changedMark(editing, 'content_logging')}
          hint="From the next call on. Nothing is kept of calls that are refused, nor of calls that a stored answer settles. What was kept before stays until its day, or until it is erased."
          isOn={kept !== null}
          onSwitch={(isOn) => edit({ content_logging: isOn ? { retention_days: days } : null })}
        />
        {kept !== null && (
          <AmountField
            label="Kept for"
            hint={`1 to ${formatNumber(most)} days: no longer than the details of calls. A change applies to new calls only.`}
            fault={faultOf('content_logging.retention_days') ?? faultOf('content_logging')}
            unit="days"
            isWhole
            value={kept.retention_days || undefined}
            onValue={(next = 0) => {
              setDays(next)
              edit({ content_logging: { retention_days: next } })
            }}
          />
        )}
      </PartFields>
    </Part>
  )
}

const Readers = () => (
  <HeadedCard level={3} title="Who reads it">
    <Facts
      facts={[
        [
          'May read it',
          <>
            {capitalised(listed(rolesWith('content:read').map((role) => `${role}s`)))}; no key may. Each reading is in
            the log, with the reader and the call, before they have it.
            {hasPermission('content:read') && (
              <>
                {' '}
                It is read from a call in the <a href={inOrganisation('/app/calls')}>list of calls</a>.
              </>
            )}
          </>,
        ],
        ['Sealed', 'Under a key of the organisation’s own, apart from the one of its log.'],
        ['In the export', 'No: the export of all data has no prompts and no answers.'],
      ]}
    />
  </HeadedCard>
)

function EraseContent() {
  const [position, setPosition] = useState<number | null>(null)
  const erase = (close: () => void) =>
    refusalOf(callApi<ContentErasure>('DELETE', '/api/compliance/content'), (erasure) => {
      setPosition(erasure.position)
      close()
    })
  return (
    <>
      <Facts facts={WHAT_IS_ERASED} />
      <ConfirmByName title="Erase all content" button="Erase all content now" ask={erase}>
        <p>Every prompt and answer that is kept goes at once. It cannot be undone.</p>
      </ConfirmByName>
      <p role="status">
        {position !== null &&
          `All content is erased: its key was destroyed. The log has that as entry ${formatNumber(position)}.`}
      </p>
    </>
  )
}

const WHAT_IS_ERASED = [
  ['What goes', 'Every prompt and answer that is kept, all stored answers, the reasons of decisions.'],
  [
    'When',
    'At once: the key is destroyed and nobody can read any of it. The sealed objects are deleted soon after. Copies of databases, from which the operator could take the key back after an accident, lapse within 30 days.',
  ],
  ['What stays', 'The log with its records and hashes, and every proof.'],
  ['Afterwards', 'It cannot be undone. The choice above stays as it is, and applies to new calls.'],
] as const

export function RetentionPart({ editing }: PartProps) {
  const { settings, values } = editing
  const byTier = plural(tierPlan(settings.tier).retentionDays, 'day')
  const retentionDays = values.retention_days ?? tierPlan(settings.tier).retentionDays
  const [policy] = useApi<Policy>('/api/policies')
  const cache = policy.state === 'answered' ? (policy.body.document.cache ?? null) : undefined
  return (
    <Part
      id="retention"
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
            rows={retentionRows(settings, cache)}
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

type RetentionRow = readonly [what: string, time: ComponentChildren, afterwards: string]

const HASH_STAYS = 'Deleted. The hash stays.'

/** @param cache the policy's rule of stored answers; null: it has none; undefined: not known yet */
const retentionRows = (
  { limits, content_logging: content, idempotent_replays: replays }: Values,
  cache: Policy['document']['cache'] | null,
): RetentionRow[] => [
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
  [
    'Stored answers',
    <>
      {cache != null && `${formatUnits(cache.ttl_seconds, TIME_UNITS)}, `}
      {cache === null && 'Off, '}
      <a href={inOrganisation('/app/policies#cache')}>{cache === undefined ? 'As the policy says' : 'by the policy'}</a>
    </>,
    'Deleted',
  ],
  ['Counts by hour', '35 days', 'Deleted'],
  ['Counts by day, key, model and use case', '762 days', 'Deleted'],
  ['Hashes of all entries', 'For ever', 'Kept'],
]
