// Deciding from wherever an approval is shown: the buttons, the dialogs after them, and what became of it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Session } from '../../api/session.ts'
import { useNow } from '../../parts/use-now.ts'
import { Decide, type Made } from './decide.view.tsx'
import { titleOf, whyNot, type Approval, type Decision } from './approval-words.ts'
import { NoteKept } from './note-kept.view.tsx'

type Deciding = {
  /** What can be done about an approval, or why nothing can. */
  acts: (approval: Approval) => ComponentChildren
  dialogs: ComponentChildren
  /** The last decision, in words. */
  said: string
}

export function useDeciding(session: Session, keys: ReadonlyMap<string, Key>, onChanged: () => void): Deciding {
  const [asking, setAsking] = useState<{ subject: Approval; decision: Decision } | null>(null)
  const [kept, setKept] = useState<{ note: string; salt: string } | null>(null)
  const [said, setSaid] = useState('')

  const decided = ({ decided: approval, decision, note }: Made): void => {
    setAsking(null)
    setSaid(wordsOf(approval, decision))
    if (approval.reason_salt !== null) setKept({ note, salt: approval.reason_salt })
    onChanged()
  }

  return {
    said,
    acts: (approval) => {
      if (approval.state !== 'pending') return null
      const why = whyNot(session, approval, keys)
      return why === null ? (
        <Acts approval={approval} onAsk={(decision) => setAsking({ subject: approval, decision })} />
      ) : (
        <p class="soft">{why}</p>
      )
    },
    dialogs: (
      <>
        {asking !== null && (
          <Decide
            session={session}
            {...asking}
            onDecided={decided}
            onOver={onChanged}
            onClose={() => setAsking(null)}
          />
        )}
        {kept !== null && <NoteKept {...kept} onDone={() => setKept(null)} />}
      </>
    ),
  }
}

/** For as long as there is time. */
function Acts({ approval, onAsk }: { approval: Approval; onAsk: (decision: Decision) => void }) {
  const isOver = Date.parse(approval.expires_at) <= useNow()
  if (isOver) return <p class="soft">Its time is over: nobody can decide it any more. Sent again, it asks anew.</p>
  return (
    <p class="row">
      {DECISIONS.map(({ decision, words, look }) => (
        <button
          key={decision}
          type="button"
          class={`button ${look}`}
          aria-label={`${words}: ${titleOf(approval)}`}
          onClick={() => onAsk(decision)}
        >
          {words}
        </button>
      ))}
    </p>
  )
}

const DECISIONS = [
  { decision: 'approve', words: 'Approve', look: 'first' },
  { decision: 'deny', words: 'Deny', look: 'danger' },
  { decision: 'escalate', words: 'Pass on', look: '' },
] as const

function wordsOf(approval: Approval, decision: Decision): string {
  const title = titleOf(approval)
  if (decision === 'deny') return `${title} is denied.`
  if (decision === 'escalate') return `${title} is passed on and goes on waiting.`
  return approval.state === 'pending'
    ? `You have approved ${title}. One more person must approve it.`
    : `${title} is approved: the same request may be sent again within an hour, once.`
}
