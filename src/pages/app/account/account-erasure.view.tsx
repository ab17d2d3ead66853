// Having one's account erased, and cancelling that.
import { useState } from 'preact/hooks'
import type { PersonErasure } from '../../../management/erasure/erasure.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { tellTabs } from '../../api/tabs.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Done } from '../../parts/done.view.tsx'
import { OpenedHeading } from '../../parts/opened-heading.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { TextField } from '../../parts/text-field.view.tsx'
import { inWords } from '../../text/in-words.ts'
import { callIn } from '../call-in.ts'

export function AccountErasure({ session }: { session: Session }) {
  const { erasure } = session.user
  const [isCancelled, setCancelled] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const cancel = async (): Promise<Problem | null> => {
    const answer = await callIn<PersonErasure>(session, 'DELETE', '/api/auth/erasure')
    if (answer.outcome === 'refused') return answer.problem
    setCancelled(true)
    return null
  }
  return (
    <section class="stack">
      <h2>Erase this account</h2>
      {isCancelled && (
        <Done>
          <p>The erasure is cancelled: the account stays.</p>
        </Done>
      )}
      {erasure !== null && !isCancelled ? (
        <div class="notice warn stack">
          <p>
            This account is to be erased: <Moment at={erasure.due_at} />
          </p>
          <Form button="Cancel the erasure" ask={cancel}>
            <p>Until it begins you can cancel it here. Nothing can be taken back then.</p>
          </Form>
        </div>
      ) : (
        <>
          <p>
            Your name, your address and how you sign in go. Organisations stay, and so do their keys and their logs.
          </p>
          <p>
            <button type="button" class="button danger" onClick={() => setAsking(true)}>
              Erase this account …
            </button>
          </p>
        </>
      )}
      {isAsking && <AskForErasure session={session} onClose={() => setAsking(false)} />}
    </section>
  )
}

const WORDS = {
  conflict:
    'You are the only owner of an organisation. Name another owner first, under Members, or have the organisation erased, under Settings.',
}

function AskForErasure({ session, onClose }: { session: Session; onClose: () => void }) {
  const { email } = session.user
  const [typed, setTyped] = useState('')
  const [scheduled, setScheduled] = useState<PersonErasure | null>(null)
  const request = async (): Promise<Problem | null> => {
    const answer = await callIn<PersonErasure>(session, 'POST', '/api/auth/erasure')
    if (answer.outcome === 'refused') return inWords(answer.problem, WORDS)
    tellTabs(null)
    setScheduled(answer.body)
    return null
  }
  if (scheduled !== null) return <Scheduled dueAt={scheduled.due_at} />
  return (
    <DialogForm title="Erase this account" button="Erase it in seven days" isDanger ask={request} onClose={onClose}>
      <dl class="facts">
        <dt>What goes</dt>
        <dd>
          Your name and address, the password, what providers you sign in by, your memberships, and the invitations that
          you made or that are for you.
        </dd>
        <dt>By when</dt>
        <dd>
          Seven days from now. You are signed out everywhere at once; until then, sign in to cancel it. Recovery copies
          of the database lapse 30 days after that.
        </dd>
        <dt>What stays</dt>
        <dd>Your id, where a log or a key says who did something: without a name and without an address.</dd>
      </dl>
      <TextField
        label={
          <>
            To go on, type <strong>{email}</strong>
          </>
        }
        most={254}
        value={typed}
        onValue={setTyped}
        invalid={typed === email ? '' : `Type ${email} as it stands there.`}
      />
    </DialogForm>
  )
}

/** Nobody is signed in any more: there is nothing behind it to go back to. */
const Scheduled = ({ dueAt }: { dueAt: string }) => (
  <Dialog title="The account is to be erased" isHeld onClose={() => undefined}>
    <OpenedHeading>You are signed out everywhere</OpenedHeading>
    <p>
      It is erased <Moment at={dueAt} />. To cancel it, sign in again before that. A mail says the same.
    </p>
    <p class="row">
      <a class="button first" href="/">
        Leave
      </a>
      <a class="button" href="/sign-in?to=/app/account">
        Sign in again
      </a>
    </p>
  </Dialog>
)
