// Front page: buttons for the actions that the service always refuses. The answer says who may decide instead.
import { Icon } from '../parts/icon.view.tsx'
import { blocked } from '../parts/icons.ts'
import { useState } from 'preact/hooks'
import type { HeldAction, HeldResponse } from '../../referral/actions.ts'
import type { Answer } from '../api/send-request.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { tryHeldAction } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { Facts, Sentences } from '../parts/page-blocks.view.tsx'

/** The name of each action, and in a few words why it is refused. */
const ACTIONS: Readonly<Record<HeldAction, readonly [name: string, why: string]>> = {
  choose_destination: ['Choose a hospital', 'A clinical decision'],
  submit_referral: ['Send the referral', 'It commits the patient'],
  assign_urgency: ['Set the urgency', 'The clinician’s to set'],
  rank_suitability: ['Rank by suitability', 'Not in the figures'],
  book_appointment: ['Book an appointment', 'It commits a hospital'],
}

const NAMES = Object.keys(ACTIONS).filter((name): name is HeldAction => name in ACTIONS)

export function HeldActions({ keyInUse, onKeyWanted }: { keyInUse: KeyInUse | null; onKeyWanted: () => void }) {
  const [answer, setAnswer] = useState<Answer<HeldResponse> | null>(null)
  const [asking, setAsking] = useState<HeldAction | null>(null)
  const ask = async (action: HeldAction): Promise<void> => {
    if (keyInUse === null) return onKeyWanted()
    if (asking !== null) return
    setAsking(action)
    setAnswer(await tryHeldAction(action, keyInUse))
    setAsking(null)
  }
  return (
    <div class="stack no-print">
      <ul class="plain refusals">
        {NAMES.map((action) => (
          <li key={action}>
            <button
              type="button"
              class="refusal"
              aria-disabled={asking !== null}
              aria-pressed={answer?.outcome === 'answered' && answer.body.action === action}
              onClick={() => void ask(action)}
            >
              <Icon of={blocked} />
              {ACTIONS[action][0]}
              <span>{ACTIONS[action][1]}</span>
            </button>
          </li>
        ))}
      </ul>
      <div aria-live="polite">
        {answer?.outcome === 'answered' && <HeldAnswer answer={answer.body} />}
        {answer?.outcome === 'refused' && <ProblemNotice problem={answer.problem} />}
      </div>
    </div>
  )
}

export function HeldAnswer({ answer }: { answer: HeldResponse }) {
  const title = `Held: ${ACTIONS[answer.action][0].toLowerCase()}`
  return (
    <section class="result" aria-label={title}>
      <div class="verdict held">
        <Icon of={blocked} />
        <div>
          <h2>{title}</h2>
          <p>{answer.because}</p>
        </div>
      </div>
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
