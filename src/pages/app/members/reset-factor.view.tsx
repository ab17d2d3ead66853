// The dialog about a reset of a member's lost second factors: asks for it, agrees to it, or cancels it.
import { useState } from 'preact/hooks'
import type { FactorResetSchema } from '../../../accounts/second-factor/second-factor.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { ProblemNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Row } from '../../parts/layout.view.tsx'
import { formatMinute } from '../../text/format.ts'
import { personOf, type Member, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, session, useApi } from '../session.ts'

type FactorReset = Infer<typeof FactorResetSchema>

type Props = { member: Member; nameOf: NameOf; onClose: () => void; onDone: (what: string) => void }

/** A step that can be taken now: its request, its button, and what is said after it. */
type Step = {
  method: 'POST' | 'DELETE'
  below?: '/agreement'
  button: string
  done: (reset: FactorReset) => string
}

const minute = (at: string): string => formatMinute(at, true)

/** Returns what is said of a reset, and the steps that this person can take. */
function stateOf(name: string, open: FactorReset | null, nameOf: NameOf): [text: string, ...steps: Step[]] {
  if (open === null)
    return [
      `Ask only if ${name} told you themselves that their devices are lost. Another owner or admin must agree within 24 hours. A day later, ${name} can ask for a link at the sign-in page.`,
      {
        method: 'POST',
        button: 'Ask for the reset',
        done: ({ expires_at: end }) => `The reset for ${name} waits for another owner or admin, until ${minute(end)}.`,
      },
    ]
  const cancel: Step = {
    method: 'DELETE',
    button: 'Cancel the reset',
    done: () => `The reset for ${name} is cancelled.`,
  }
  if (open.due_at !== null)
    return [`It is agreed. From ${minute(open.due_at)} on, ${name} can ask for a link at the sign-in page.`, cancel]
  if (open.asked_by === session().user.id)
    return [`You asked for it. Another owner or admin must agree by ${minute(open.expires_at)}.`, cancel]
  return [
    `It was asked for by ${personOf(nameOf, open.asked_by)}. Agree only if ${name} told you themselves that their devices are lost.`,
    {
      method: 'POST',
      below: '/agreement',
      button: 'Agree to the reset',
      done: ({ due_at: due }) => `${name} can ask for a link at the sign-in page from ${minute(due ?? '')} on.`,
    },
    cancel,
  ]
}

export function ResetFactor({ member: { id, name }, nameOf, onClose, onDone }: Props) {
  const path = `/api/members/factor-resets/${id}`
  const [loaded, again] = useApi<FactorReset>(path)
  const [problem, setProblem] = useState<Problem | null>(null)
  const isNone = loaded.state === 'refused' && loaded.problem.code === 'not_found'
  const open = loaded.state === 'answered' ? loaded.body : null
  const [text, ...steps] = stateOf(name, open, nameOf)
  const take = async ({ method, below, done }: Step): Promise<void> =>
    setProblem(await refusalOf(callApi<FactorReset>(method, path + (below ?? '')), (reset) => onDone(done(reset))))
  return (
    <Dialog title={`Reset the second factor of ${name}`} onClose={onClose}>
      {loaded.state === 'loading' && <Skeleton lines={3} />}
      {loaded.state === 'refused' && !isNone && <ProblemNotice problem={loaded.problem} onRetry={again} />}
      {(open !== null || isNone) && (
        <>
          <p>{text}</p>
          <p>
            The link and the password of {name} remove all of their passkeys, app and codes, and end their sessions. A
            sign-in with a second factor cancels the reset. Every owner and admin can cancel it here.
          </p>
          {problem !== null && <ProblemNotice problem={problem} />}
          <Row as="p">
            {steps.map((step) => (
              <ActButton key={step.button} look={step.method === 'DELETE' ? 'danger' : 'first'} act={() => take(step)}>
                {step.button}
              </ActButton>
            ))}
            <Button isFocused onClick={onClose}>
              Close
            </Button>
          </Row>
        </>
      )}
    </Dialog>
  )
}
