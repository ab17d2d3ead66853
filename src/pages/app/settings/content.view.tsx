// Whether prompts and answers are kept, for how long, who may read them, and how all of them are erased.
import { useState } from 'preact/hooks'
import { may, rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ContentErasure } from '../../../management/content/content.schema.ts'
import type { Problem } from '../../api/call.ts'
import { inOrganisation } from '../../api/session.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { NameTyped } from './name-typed.view.tsx'
import { NumberField } from './number-field.view.tsx'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'
import { listed } from './words.ts'

export function ContentSection({ room }: { room: Room }) {
  const { settings, session, organisation } = room
  const { content_logging: inForce, limits } = settings
  const [isKept, setKept] = useState(inForce !== null)
  const [days, setDays] = useState(String(inForce?.retention_days ?? Math.min(30, limits.retention_days)))
  const wanted = isKept ? { retention_days: Number(days) } : null
  const readers = listed(rolesWith('content:read').map((role) => `${role}s`))

  return (
    <Section id="content">
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
      <SettingsForm room={room} wanted={{ content_logging: wanted }}>
        {(faultOf) => (
          <>
            <label class="choice">
              <input type="checkbox" checked={isKept} onChange={({ currentTarget: { checked } }) => setKept(checked)} />
              <span>
                <strong>Keep what is sent and answered in calls that are allowed</strong>
                <br />
                <span class="soft">
                  From the next call on. Nothing is kept of calls that are refused, nor of calls that the cache or a
                  replay answers.
                </span>
              </span>
            </label>
            {isKept && (
              <NumberField
                label="Days for which it is kept"
                hint={`1 to ${formatNumber(limits.retention_days)}: no longer than the details of calls. A longer or shorter time holds for calls made from then on.`}
                fault={faultOf('content_logging.retention_days') ?? faultOf('content_logging')}
                value={days}
                onInput={setDays}
                least={1}
                most={limits.retention_days}
              />
            )}
          </>
        )}
      </SettingsForm>
      <dl class="facts">
        <dt>Who may read it</dt>
        <dd>
          {readers.charAt(0).toUpperCase() + readers.slice(1)}; no key may. Each reading is in the ledger, with who read
          what, before they have it.
          {may(organisation.role, 'content:read') && (
            <>
              {' '}
              It is read from a call in the <a href={inOrganisation(session, '/app/audit')}>audit trail</a>.
            </>
          )}
        </dd>
        <dt>In the export</dt>
        <dd>No: the export of all data has no prompts and no answers.</dd>
      </dl>
      {may(organisation.role, 'content:erase') && <EraseContent room={room} />}
    </Section>
  )
}

function EraseContent({ room: { session, settings } }: { room: Room }) {
  const [isAsking, setAsking] = useState(false)
  const [position, setPosition] = useState<number | null>(null)

  const erase = async (): Promise<Problem | null> => {
    const answer = await callIn<ContentErasure>(session, 'DELETE', '/api/compliance/content')
    if (answer.outcome === 'refused') return answer.problem
    setPosition(answer.body.position)
    setAsking(false)
    return null
  }

  return (
    <>
      <p>
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          Erase all content
        </button>
      </p>
      <p role="status">
        {position !== null &&
          `All content is erased: its key was destroyed. The ledger has that as entry ${formatNumber(position)}.`}
      </p>
      {isAsking && (
        <NameTyped
          title="Erase all content"
          name={settings.name}
          verb="Erase all content now"
          act={erase}
          onClose={() => setAsking(false)}
        >
          <dl class="facts">
            <dt>What goes</dt>
            <dd>
              Every prompt and answer that is kept, the answers kept for replays and the cache, the reasons of
              decisions.
            </dd>
            <dt>When</dt>
            <dd>
              At once: the key is destroyed and nobody can read any of it. The sealed objects are deleted soon after.
              Copies of databases, from which the operator could take the key back after an accident, lapse within 30
              days.
            </dd>
            <dt>What stays</dt>
            <dd>The ledger with its receipts and hashes, and every proof.</dd>
            <dt>Afterwards</dt>
            <dd>It cannot be undone. Whether new calls are kept is for the choice above, which stays as it is.</dd>
          </dl>
        </NameTyped>
      )}
    </>
  )
}
