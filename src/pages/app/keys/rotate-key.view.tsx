// Putting a new key in the place of one: the new key comes first, and the old one ends later.
import { useRef, useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { formatMoment } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { stub, type CreatedKey } from './key-words.ts'

type Given = {
  session: Session
  subject: Key
  onRotated: (created: CreatedKey, old: Key) => void
  onClose: () => void
}

const OVERLAPS = [
  { seconds: 0, words: 'at once' },
  { seconds: 3_600, words: 'in an hour' },
  { seconds: 86_400, words: 'in a day' },
  { seconds: 604_800, words: 'in a week' },
  { seconds: 2_592_000, words: 'in 30 days' },
]

export function RotateKey({ session, subject, onRotated, onClose }: Given) {
  const [seconds, setSeconds] = useState(86_400)
  const claims = useRef(new Map<number, string>())
  const endAfter = (ms: number): Date =>
    new Date(Math.min(ms + seconds * 1000, Date.parse(subject.expires_at ?? '') || Infinity))

  const rotate = async (): Promise<Problem | null> => {
    const claimed = claims.current.get(seconds) ?? crypto.randomUUID()
    claims.current.set(seconds, claimed)
    const path = `/api/keys/${subject.id}`
    const answer = await callIn<CreatedKey>(session, 'POST', `${path}/rotate`, {
      body: { overlap_seconds: seconds },
      headers: { 'idempotency-key': claimed },
    })
    if (answer.outcome === 'refused') return answer.problem
    const old: Key = {
      ...subject,
      status: seconds === 0 ? 'expired' : 'active',
      // By the clock of the service, which ends it.
      expires_at: endAfter(Date.parse(answer.body.created_at)).toISOString(),
      replaced_by: answer.body.id,
    }
    onRotated(answer.body, old)
    return null
  }

  return (
    <DialogForm title={`Rotate ${subject.name}`} button="Make the new key" ask={rotate} onClose={onClose}>
      {() => (
        <>
          <p>
            A new key is made first and shown once. It has the scopes, the limits and the end of the old one,{' '}
            {stub(subject)}, which goes on working until it ends.
          </p>
          <Field
            label="The old key ends"
            hint={
              seconds === 0
                ? 'Whatever uses it is refused from its next request on.'
                : formatMoment(endAfter(Date.now()), false)
            }
          >
            {(control) => (
              <select
                {...control}
                value={seconds}
                onChange={({ currentTarget: { value } }) => setSeconds(Number(value))}
              >
                {OVERLAPS.map((overlap) => (
                  <option key={overlap.seconds} value={overlap.seconds}>
                    {overlap.words}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <p>
            <strong>This cannot be undone.</strong> The end of the old key can be brought forward and not put off.
          </p>
        </>
      )}
    </DialogForm>
  )
}
