// Part of the settings: prompts and answers. Sets how long they are kept, says who may read them, and erases all of them.
import { useState } from 'preact/hooks'
import { rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ContentErasure } from '../../../management/content/content.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { AmountField } from '../../parts/unit-field.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { capitalised, listed } from '../../text/reword-text.ts'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import { changedMark, ConfirmByName, Part, PartFields, type PartProps } from './part-frame.view.tsx'
import { MEMBERS } from './settings-members.ts'
import { SwitchRow } from '../../parts/switch.view.tsx'
import { HeadedCard } from '../../parts/surfaces.view.tsx'

export function ContentPart({ editing }: PartProps) {
  const { settings, values, edit, faultOf } = editing
  const { content_logging: kept } = values
  const most = settings.limits.retention_days
  // Switched off and on again, it has the days that were typed.
  const [days, setDays] = useState(kept?.retention_days ?? Math.min(30, most))
  return (
    <Part
      id="content"
      lead={
        settings.content_logging === null
          ? 'Prompts and answers are not kept. What an earlier choice kept stays until its day, or until it is erased.'
          : `${MEMBERS.content_logging.words(settings)}: prompts and answers are sealed under a key of the organisation’s own, apart from the one of its log.`
      }
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
          hint="From the next call on. Nothing is kept of calls that are refused, nor of calls that a stored answer settles."
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
