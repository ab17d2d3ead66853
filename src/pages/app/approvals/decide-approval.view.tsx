// Lets a person approve, deny or pass on a request, wherever the dashboard shows it: the buttons, their dialogs, and the result.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/decision'
import type { Problem } from '../../api/send-request.ts'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { DialogForm, ShownOnce } from '../../parts/dialog.view.tsx'
import { AreaField } from '../../parts/fields.view.tsx'
import { useNow } from '../../parts/times.view.tsx'
import type { Keys } from '../key-and-person-names.view.tsx'
import { callApi } from '../session.ts'
import { titleOf, whyCannotDecide, type Approval, type Decided, type Decision } from './approval-card.view.tsx'

type ApprovalDecisions = {
  /** Returns the buttons for an approval, or the reason why there are none. */
  acts: (approval: Approval) => ComponentChildren
  dialogs: ComponentChildren
  /** The last decision, in words. */
  resultMessage: string
}

export function useApprovalDecisions(keys: Keys, onChanged: () => void): ApprovalDecisions {
  const [asking, setAsking] = useState<{ subject: Approval; chosen: DecisionChoice } | null>(null)
  const [stored, setStored] = useState<{ note: string; salt: string } | null>(null)
  const [resultMessage, setResultMessage] = useState('')

  const decided = ({ decided: approval, decision, note }: RecordedDecision): void => {
    setAsking(null)
    setResultMessage(resultText(approval, decision))
    if (approval.reason_salt !== null) setStored({ note, salt: approval.reason_salt })
    onChanged()
  }

  return {
    resultMessage,
    acts: (approval) => {
      if (approval.state !== 'pending') return null
      const why = whyCannotDecide(approval, keys)
      return why === null ? (
        <DecisionButtons approval={approval} onAsk={(chosen) => setAsking({ subject: approval, chosen })} />
      ) : (
        <p class="soft">{why}</p>
      )
    },
    dialogs: (
      <>
        {asking !== null && (
          <DecisionDialog {...asking} onDecided={decided} onTooLate={onChanged} onClose={() => setAsking(null)} />
        )}
        {stored !== null && <NoteKept {...stored} onDone={() => setStored(null)} />}
      </>
    ),
  }
}

const DECISIONS = [
  {
    decision: 'approve',
    title: 'Approve',
    button: 'Approve',
    look: 'first',
    what: 'The very same request may then be sent again by the same key, within an hour, and runs once.',
  },
  {
    decision: 'deny',
    title: 'Deny',
    button: 'Deny',
    look: 'danger',
    what: 'The request does not run. Sent again, it asks anew.',
  },
  {
    decision: 'escalate',
    title: 'Pass on',
    button: 'Pass it on',
    look: '',
    what: 'It goes on waiting, and somebody else decides. You cannot decide it afterwards.',
  },
] as const

type DecisionChoice = (typeof DECISIONS)[number]

/** The buttons, shown until the approval expires. */
function DecisionButtons({ approval, onAsk }: { approval: Approval; onAsk: (chosen: DecisionChoice) => void }) {
  const isOver = Date.parse(approval.expires_at) <= useNow()
  if (isOver) return <p class="soft">Its time is over: nobody can decide it any more. Sent again, it asks anew.</p>
  return (
    <p class="row">
      {DECISIONS.map((one) => (
        <button
          key={one.decision}
          type="button"
          class={`button ${one.look}`}
          aria-label={`${one.title}: ${titleOf(approval)}`}
          onClick={() => onAsk(one)}
        >
          {one.title}
        </button>
      ))}
    </p>
  )
}

function resultText(approval: Approval, decision: Decision): string {
  const title = titleOf(approval)
  if (decision === 'deny') return `${title} is denied.`
  if (decision === 'escalate') return `${title} is passed on and goes on waiting.`
  return approval.state === 'pending'
    ? `You have approved ${title}. One more person must approve it.`
    : `${title} is approved: the same request may be sent again within an hour, once.`
}

/** A recorded decision. `note` is '' if none was given. */
type RecordedDecision = { decided: Decided; decision: Decision; note: string }

type DecideProps = {
  subject: Approval
  chosen: DecisionChoice
  onDecided: (made: RecordedDecision) => void
  /** Called if this person can no longer decide: somebody else was faster, or the approval has expired. */
  onTooLate: () => void
  onClose: () => void
}

/** Asks the service to record the decision. The page shows no decision before the service confirms it. */
function DecisionDialog({ subject, chosen, onDecided, onTooLate, onClose }: DecideProps) {
  const { decision, title, button, what } = chosen
  const [note, setNote] = useState('')

  const decide = async (): Promise<Problem | null> => {
    const body = { decision, ...(note !== '' && { reason: note }) }
    const answer = await callApi<Decided>('POST', `/api/approvals/${subject.id}/decision`, { body })
    if (answer.outcome === 'answered') onDecided({ decided: answer.body, decision, note })
    else if (answer.problem.code === 'conflict') onTooLate()
    return answer.outcome === 'answered' ? null : answer.problem
  }

  return (
    <DialogForm
      title={`${title}: ${titleOf(subject)}`}
      button={button}
      isDanger={decision === 'deny'}
      ask={decide}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <p>{what}</p>
          <p>
            Your decision is signed and stays in the ledger, with your id and your role. It proves that you decided, not
            that you were right.
          </p>
          <AreaField
            label="Note"
            hint="The record has a salted hash of it. The text is kept only where your organisation keeps content."
            fault={faultOf('reason')}
            rows={4}
            maxLength={SCHEMA.reason.maxLength}
            value={note}
            onValue={setNote}
          />
        </>
      )}
    </DialogForm>
  )
}

/** Shows, only once, the bytes that later prove that this note was given. */
const NoteKept = ({ note, salt, onDone }: { note: string; salt: string; onDone: () => void }) => (
  <ShownOnce title="Keep your note" button="Done" onDone={onDone}>
    <p>
      The record of your decision has the SHA-256 of these 32 bytes and your note. With both, anybody can check later
      that this was the note; without the bytes nobody can find it by guessing. They are shown now and never again, but
      where your organisation keeps content.
    </p>
    <CopyableText line={note} what="the note" />
    <CopyableText line={salt} what="the bytes before it, in hexadecimal" />
  </ShownOnce>
)
