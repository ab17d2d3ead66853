// Keys page: the dialogs that change, replace and revoke a key.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/key'
import type { Key, UpdateKey } from '../../../keys/key.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { Checkbox, InputField, SelectField } from '../../parts/fields.view.tsx'
import { FormFields, useForm } from '../../parts/schema-form.view.tsx'
import { formatMoment, plural } from '../../text/format.ts'
import { asDisplayed } from '../../text/id-labels.ts'
import { callApi } from '../session.ts'
import { describeMade, maskedKey, namesOf, type KeyWithMade, type RevokedKey, type RotatedKey } from './key-labels.tsx'
import { KEY_WORDS, useIdempotencyKey } from './key-words.ts'

type MadeProps = { made: readonly Key[]; isChecked: boolean; onCheck: (isChecked: boolean) => void }

/** Offers to revoke the working keys that a key made. */
const RevokeMade = ({ made, ...check }: MadeProps) =>
  made.length > 0 && (
    <Checkbox {...check}>
      <span>
        Also revoke {plural(made.length, 'key')} that this key made: {namesOf(made)}. If not, they go on working. Until
        this key ends, it can make more.
      </span>
    </Checkbox>
  )

type ChangeProps = {
  subject: KeyWithMade
  /** @param undo what takes the change back; null if the key's end changed, which other keys may depend on */
  onDone: (message: string, undo: UpdateKey | null) => void
  onClose: () => void
}

/** The dialog that changes a key. It sends only the changed members. */
export function ChangeKey({ subject, onDone, onClose }: ChangeProps) {
  const form = useForm({ schema: SCHEMA, words: KEY_WORDS, start: subject, isChange: true })
  const [revokesMade, setRevokesMade] = useState(false)
  const { expires_at: end } = form.body
  const endsSooner = typeof end === 'string' && (subject.expires_at === null || end < subject.expires_at)
  const change = () => {
    const body = { ...form.body, ...(endsSooner && revokesMade && { revoke_made: true }) }
    const undo = Object.fromEntries(Object.entries(subject).filter(([name]) => name in form.body))
    return refusalOf(callApi<KeyWithMade>('PATCH', `/api/keys/${subject.id}`, { body }), ({ made }) =>
      onDone(endsSooner ? `Saved. ${describeMade(made)}` : 'Saved.', 'expires_at' in body ? null : undo),
    )
  }
  return (
    <DialogForm title="Change the key" button="Save" ask={change} onClose={onClose}>
      {(faultOf) => (
        <>
          <FormFields of={form} faultOf={faultOf} />
          {endsSooner && <RevokeMade made={subject.made} isChecked={revokesMade} onCheck={setRevokesMade} />}
        </>
      )}
    </DialogForm>
  )
}

type RotateProps = { subject: KeyWithMade; onRotated: (rotated: RotatedKey, old: Key) => void; onClose: () => void }

const OVERLAPS = [
  [0, 'at once'],
  [3_600, 'in an hour'],
  [86_400, 'in a day'],
  [604_800, 'in a week'],
  [2_592_000, 'in 30 days'],
] as const

/** The dialog that replaces a key: the new key works at once, and the old one ends later. */
export function RotateKey({ subject, onRotated, onClose }: RotateProps) {
  const [seconds, setSeconds] = useState(86_400)
  const [revokesMade, setRevokesMade] = useState(false)
  const claim = useIdempotencyKey()
  const endAfter = (ms: number): Date =>
    new Date(Math.min(ms + seconds * 1000, Date.parse(subject.expires_at ?? '') || Infinity))

  const rotate = () => {
    const body = { overlap_seconds: seconds, revoke_made: revokesMade }
    const request = { body, headers: claim(JSON.stringify(body)) }
    return refusalOf(callApi<RotatedKey>('POST', `/api/keys/${subject.id}/rotate`, request), (created) =>
      onRotated(created, {
        ...subject,
        status: seconds === 0 ? 'expired' : 'active',
        // The service ends the key by its own clock, so the time is counted from the service's own `created_at`.
        expires_at: endAfter(Date.parse(created.created_at)).toISOString(),
        replaced_by: created.id,
      }),
    )
  }

  return (
    <DialogForm title={`Replace ${subject.name}`} button="Make the new key" ask={rotate} onClose={onClose}>
      <p>
        A new key is made first and shown once. It has the scopes, the limits and the end of the old one,{' '}
        {maskedKey(subject)}, which goes on working until it ends.
      </p>
      <SelectField
        label="The old key ends"
        hint={
          seconds === 0
            ? 'Whatever uses it is refused from its next request on.'
            : formatMoment(endAfter(Date.now()), false)
        }
        value={seconds}
        onValue={(value) => setSeconds(Number(value))}
        options={OVERLAPS}
      />
      <RevokeMade made={subject.made} isChecked={revokesMade} onCheck={setRevokesMade} />
      <p>
        <strong>This cannot be undone.</strong> The end of the old key can be brought forward and not put off.
      </p>
    </DialogForm>
  )
}

type RevokeProps = { subject: KeyWithMade; onDone: (revoked: RevokedKey) => void; onClose: () => void }

/** The dialog that revokes a key for good. The person must type its name. */
export function RevokeKey({ subject, onDone, onClose }: RevokeProps) {
  const [typed, setTyped] = useState('')
  return (
    <DialogForm
      title={`Revoke ${subject.name}`}
      button="Revoke the key"
      isDanger
      isReady={asDisplayed(typed) === asDisplayed(subject.name)}
      ask={() => refusalOf(callApi<RevokedKey>('DELETE', `/api/keys/${subject.id}`), onDone)}
      onClose={onClose}
    >
      <ul>
        <li>
          {maskedKey(subject)} is refused from its next request on. What waits for approval of its requests is
          withdrawn.
        </li>
        {subject.scopes.includes('manage') && (
          <li>
            The keys that it made, and those that these made, are revoked with it
            {subject.made.length > 0 && `: ${namesOf(subject.made)}`}.
          </li>
        )}
        <li>Its calls stay in the list of calls, with their signed records.</li>
        <li>
          <strong>This cannot be undone.</strong> Whatever uses it needs another key.
        </li>
      </ul>
      <InputField label={`Type the key’s name: ${subject.name}`} autocomplete="off" value={typed} onValue={setTyped} />
    </DialogForm>
  )
}
