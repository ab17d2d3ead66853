// Settings section: stored prompts and answers. Sets how long they are stored and who may read them, and erases all of them.
import { useState } from 'preact/hooks'
import { rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ContentErasure } from '../../../management/content/content.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Checkbox, NumberField } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import { LabelWithHint } from './organisation.view.tsx'
import { ConfirmByName, SettingsForm, type SectionProps, SettingsSection } from './settings-form.view.tsx'
import { DialogButton } from '../../parts/dialog.view.tsx'

export function ContentSection({ state }: SectionProps) {
  const { settings } = state
  const { content_logging: inForce, limits } = settings
  const [isKept, setKept] = useState(inForce !== null)
  const [days, setDays] = useState(String(inForce?.retention_days ?? Math.min(30, limits.retention_days)))
  const values = isKept ? { retention_days: Number(days) } : null
  const readers = listed(rolesWith('content:read').map((role) => `${role}s`))

  return (
    <SettingsSection id="content">
      <p>
        {inForce === null ? (
          <>
            In force: prompts and answers are <strong>not kept</strong>. What an earlier choice kept stays until its
            day, or until it is erased.
          </>
        ) : (
          <>
            In force: prompts and answers are <strong>kept for {plural(inForce.retention_days, 'day')}</strong>, sealed
            under a key of the organisation’s own, apart from the one of its ledger.
          </>
        )}
      </p>
      <SettingsForm id="content" state={state} values={{ content_logging: values }}>
        {(faultOf) => (
          <>
            <Checkbox isChecked={isKept} onCheck={setKept}>
              <LabelWithHint
                label="Keep what is sent and answered in calls that pass"
                hint="From the next call on. Nothing is kept of calls that are refused, nor of calls that the cache or a replay answers."
              />
            </Checkbox>
            {isKept && (
              <NumberField
                label="Days for which it is kept"
                hint={`1 to ${formatNumber(limits.retention_days)}: no longer than the details of calls. A longer or shorter time holds for calls made from then on.`}
                fault={faultOf('content_logging.retention_days') ?? faultOf('content_logging')}
                value={days}
                onValue={setDays}
                schema={{ minimum: 1, maximum: limits.retention_days }}
              />
            )}
          </>
        )}
      </SettingsForm>
      <Facts
        facts={[
          [
            'Who may read it',
            <>
              {readers.charAt(0).toUpperCase() + readers.slice(1)}; no key may. Each reading is in the ledger, with who
              read what, before they have it.
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
      {hasPermission('content:erase') && <EraseContent name={settings.name} />}
    </SettingsSection>
  )
}

function EraseContent({ name }: { name: string }) {
  const [position, setPosition] = useState<number | null>(null)
  const erase = (close: () => void) =>
    refusalOf(callApi<ContentErasure>('DELETE', '/api/compliance/content'), (erasure) => {
      setPosition(erasure.position)
      close()
    })
  return (
    <>
      <DialogButton label="Erase all content" look="danger">
        {(close) => (
          <ConfirmByName
            title="Erase all content"
            name={name}
            verb="Erase all content now"
            act={() => erase(close)}
            onClose={close}
          >
            <Facts facts={WHAT_IS_ERASED} />
          </ConfirmByName>
        )}
      </DialogButton>
      <p role="status">
        {position !== null &&
          `All content is erased: its key was destroyed. The ledger has that as entry ${formatNumber(position)}.`}
      </p>
    </>
  )
}

const WHAT_IS_ERASED = [
  [
    'What goes',
    'Every prompt and answer that is kept, the answers kept for replays and the cache, the reasons of decisions.',
  ],
  [
    'When',
    'At once: the key is destroyed and nobody can read any of it. The sealed objects are deleted soon after. Copies of databases, from which the operator could take the key back after an accident, lapse within 30 days.',
  ],
  ['What stays', 'The ledger with its receipts and hashes, and every proof.'],
  ['Afterwards', 'It cannot be undone. Whether new calls are kept is for the choice above, which stays as it is.'],
] as const
