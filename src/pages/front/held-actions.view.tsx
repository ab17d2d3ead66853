// Front page: buttons for the actions that the service always refuses. The answer says who may decide instead.
import { Button } from '../parts/button.view.tsx'
import { useState } from 'preact/hooks'
import type { HeldAction, HeldResponse } from '../../referral/actions.ts'
import type { Answer } from '../api/send-request.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { tryHeldAction } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { Facts, Sentences } from '../parts/page-blocks.view.tsx'

const ACTIONS: Readonly<Record<HeldAction, string>> = {
  choose_destination: 'Choose a hospital',
  submit_referral: 'Send the referral',
  assign_urgency: 'Set the urgency',
  rank_suitability: 'Rank by suitability',
  book_appointment: 'Book an appointment',
}

const NAMES = Object.keys(ACTIONS).filter((name): name is HeldAction => name in ACTIONS)

export function HeldActions({ keyInUse, onKeyWanted }: { keyInUse: KeyInUse | null; onKeyWanted: () => void }) {
  const [answer, setAnswer] = useState<Answer<HeldResponse> | null>(null)
  const [asking, setAsking] = useState<HeldAction | null>(null)
  const ask = async (action: HeldAction): Promise<void> => {
    if (keyInUse === null) return onKeyWanted()
    setAsking(action)
    setAnswer(await tryHeldAction(action, keyInUse))
    setAsking(null)
  }
  return (
    <section class="stack no-print" aria-labelledby="held">
      <h2 id="held">Ask it for what it never does</h2>
      <p>
        Each of these is refused, and both the request and the refusal are recorded. The answer says what the published
        figures do tell, what they cannot, and who holds the decision.
      </p>
      <ul class="plain row">
        {NAMES.map((action) => (
          <li key={action}>
            <Button isDisabled={asking !== null} onClick={() => void ask(action)}>
              {ACTIONS[action]}
            </Button>
          </li>
        ))}
      </ul>
      <div aria-live="polite">
        {answer?.outcome === 'answered' && <HeldAnswer answer={answer.body} />}
        {answer?.outcome === 'refused' && <ProblemNotice problem={answer.problem} />}
      </div>
    </section>
  )
}

export function HeldAnswer({ answer }: { answer: HeldResponse }) {
  const title = `Held: ${ACTIONS[answer.action].toLowerCase()}`
  return (
    <section class="card stack" aria-label={title}>
      <h3>{title}</h3>
      <p>{answer.because}</p>
      <Facts
        facts={[
          ['Who holds this', <strong>{answer.who_holds_this}</strong>],
          ['What the figures establish', <Sentences of={answer.established} />],
          ['What they cannot tell about this patient', <Sentences of={answer.cannot_tell_you_about_this_patient} />],
        ]}
      />
      <p class="small soft">{answer.note}</p>
    </section>
  )
}
