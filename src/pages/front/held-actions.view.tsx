// Front page: buttons for the actions that the service always refuses. The answer says who may decide instead.
import { Button } from '../parts/button.view.tsx'
import { Verdict } from '../parts/letter.view.tsx'
import { PlainList, SignRow } from '../parts/surfaces.view.tsx'
import { blocked } from '../parts/icons.ts'
import { useState } from 'preact/hooks'
import type { HeldAction, HeldResponse } from '../../referral/actions.ts'
import type { Answer } from '../api/send-request.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { tryHeldAction } from './referral-requests.ts'
import type { KeyInUse } from './key-choice.view.tsx'
import { Facts, Sentences } from '../parts/page-blocks.view.tsx'
import { Stack, Note } from '../parts/layout.view.tsx'

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
    <Stack isOffPaper>
      <PlainList>
        {NAMES.map((action) => (
          <SignRow
            key={action}
            icon={blocked}
            tone="bad"
            title={<b>{ACTIONS[action][0]}</b>}
            about={ACTIONS[action][1]}
          >
            <Button
              label={`Ask for it: ${ACTIONS[action][0]}`}
              isDisabled={asking !== null}
              aria-pressed={answer?.outcome === 'answered' && answer.body.action === action}
              onClick={() => void ask(action)}
            >
              Ask for it
            </Button>
          </SignRow>
        ))}
      </PlainList>
      <div aria-live="polite">
        {answer?.outcome === 'answered' && <HeldAnswer answer={answer.body} />}
        {answer?.outcome === 'refused' && <ProblemNotice problem={answer.problem} />}
      </div>
    </Stack>
  )
}

export function HeldAnswer({ answer }: { answer: HeldResponse }) {
  const title = `Held: ${ACTIONS[answer.action][0].toLowerCase()}`
  return (
    <Stack as="section" label={title}>
      <Verdict icon={blocked} tone="bad" title={title}>
        {answer.because}
      </Verdict>
      <Facts
        facts={[
          ['Who holds this', <strong>{answer.who_holds_this}</strong>],
          ['What the figures establish', <Sentences of={answer.established} />],
          ['What they cannot tell about this patient', <Sentences of={answer.cannot_tell_you_about_this_patient} />],
        ]}
      />
      <Note as="p">{answer.note}</Note>
    </Stack>
  )
}
