// Account page: schedules the erasure of the person's account, and cancels it.
import { useState } from 'preact/hooks'
import type { PersonErasure } from '../../../management/erasure/erasure.schema.ts'
import { withOwnMessage, refusalOf } from '../../api/send-request.ts'
import { tellTabs } from '../../api/sign-in.ts'
import { Dialog, DialogForm, DialogButton } from '../../parts/dialog.view.tsx'
import { TextField } from '../../parts/fields.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { DoneNotice, OpenedHeading } from '../../parts/answer-notices.view.tsx'
import { Row } from '../../parts/layout.view.tsx'
import { Facts, Notice } from '../../parts/page-blocks.view.tsx'
import { ButtonLink, HeadedCard } from '../../parts/surfaces.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { callApi, session } from '../session.ts'

export function AccountErasure() {
  const { erasure } = session().user
  const [isCancelled, setCancelled] = useState(false)
  const cancel = () => refusalOf(callApi('DELETE', '/api/auth/erasure'), () => setCancelled(true))
  return erasure !== null && !isCancelled ? (
    <HeadedCard title="Erase this account">
      <Notice
        tone="warn"
        title={
          <>
            This account is to be erased: <Moment at={erasure.due_at} />
          </>
        }
      >
        <Form button="Cancel the erasure" ask={cancel}>
          <p>Until it begins you can cancel it here. Nothing can be taken back then.</p>
        </Form>
      </Notice>
    </HeadedCard>
  ) : (
    <HeadedCard
      title="Erase this account"
      act={
        <DialogButton label="Erase this account …" look="danger">
          {(close) => <AskForErasure onClose={close} />}
        </DialogButton>
      }
    >
      {isCancelled && <DoneNotice>The erasure is cancelled: the account stays.</DoneNotice>}
      <p>
        Your name, your address and how you sign in go. The keys that you made are revoked, with the keys that those
        made. Organisations and their logs stay.
      </p>
    </HeadedCard>
  )
}

const WORDS = {
  conflict:
    'You are the only owner of an organisation. Name another owner first, under Members, or have the organisation erased, under Settings.',
}

function AskForErasure({ onClose }: { onClose: () => void }) {
  const { email } = session().user
  const [typed, setTyped] = useState('')
  const [scheduled, setScheduled] = useState<PersonErasure | null>(null)
  const request = async () => {
    const problem = await refusalOf(callApi<PersonErasure>('POST', '/api/auth/erasure'), (erasure) => {
      tellTabs(null)
      setScheduled(erasure)
    })
    return problem && withOwnMessage(problem, WORDS)
  }
  if (scheduled !== null) return <Scheduled dueAt={scheduled.due_at} />
  return (
    <DialogForm title="Erase this account" button="Erase it in seven days" isDanger ask={request} onClose={onClose}>
      <Facts
        facts={[
          [
            'What goes',
            'Your name and address, the password, what providers you sign in by, your memberships, and the invitations that you made or that are for you. The keys that you made are revoked, with the keys that those made.',
          ],
          [
            'By when',
            'Seven days from now. You are signed out everywhere at once; until then, sign in to cancel it. Recovery copies of the database lapse 30 days after that.',
          ],
          [
            'What stays',
            'Your id, where a log or a key says who did something: without a name and without an address.',
          ],
        ]}
      />
      <TextField
        label={
          <>
            To go on, type <strong>{email}</strong>
          </>
        }
        most={254}
        value={typed}
        onValue={setTyped}
        invalid={typed === email ? '' : `Type ${email} exactly.`}
      />
    </DialogForm>
  )
}

/** The notice after scheduling. It cannot be closed: the person is signed out, so the page behind it no longer works. */
const Scheduled = ({ dueAt }: { dueAt: string }) => (
  <Dialog title="The account is to be erased" isLocked onClose={() => undefined}>
    <OpenedHeading>You are signed out everywhere</OpenedHeading>
    <p>
      It is erased <Moment at={dueAt} />. To cancel it, sign in again before that. A mail says the same.
    </p>
    <Row as="p">
      <ButtonLink look="first" href="/">
        Leave
      </ButtonLink>
      <ButtonLink href="/sign-in?to=/app/account">Sign in again</ButtonLink>
    </Row>
  </Dialog>
)
