// The dialog about a reset of a member's lost second factors: asks for it, agrees to it, or cancels it.
import type { FactorResetSchema } from '../../../accounts/second-factor/second-factor.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { refusalOf } from '../../api/send-request.ts'
import { ProblemNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.view.tsx'
import { formatMinute } from '../../text/format.ts'
import type { Member } from '../key-and-person-names.view.tsx'
import { callApi, session, useApi } from '../session.ts'

type FactorReset = Infer<typeof FactorResetSchema>

type Props = { member: Member; onClose: () => void; onDone: (what: string) => void }

/** The next step of a reset: its request, its button, and what is said before and after. */
type Step = {
  method: 'POST' | 'DELETE'
  below?: '/agreement'
  button: string
  text: string
  done: (reset: FactorReset) => string
}

const minute = (at: string): string => formatMinute(at, true)

function stepOf(name: string, open: FactorReset | null): Step {
  if (open === null)
    return {
      method: 'POST',
      button: 'Ask for the reset',
      text: `Another owner or admin must agree within 24 hours. 24 hours later, ${name} can ask for a link at the sign-in page.`,
      done: ({ expires_at: end }) => `The reset for ${name} waits for another owner or admin, until ${minute(end)}.`,
    }
  const cancel = {
    method: 'DELETE',
    button: 'Cancel the reset',
    done: () => `The reset for ${name} is cancelled.`,
  } as const
  if (open.due_at !== null)
    return {
      ...cancel,
      text: `It is agreed. From ${minute(open.due_at)} on, ${name} can ask for a link at the sign-in page.`,
    }
  if (open.asked_by === session().user.id)
    return { ...cancel, text: `You asked for it. Another owner or admin must agree by ${minute(open.expires_at)}.` }
  return {
    method: 'POST',
    below: '/agreement',
    button: 'Agree to the reset',
    text: `Another owner or admin asked for it. Agree only if ${name} told you themselves that their devices are lost.`,
    done: ({ due_at: due }) => `${name} can ask for a link from ${minute(due ?? '')} on.`,
  }
}

export function ResetFactor({ member: { id, name }, onClose, onDone }: Props) {
  const path = `/api/members/factor-resets/${id}`
  const [loaded, again] = useApi<FactorReset>(path)
  const title = `Reset the second factor of ${name}`
  const isNone = loaded.state === 'refused' && loaded.problem.code === 'not_found'
  if (loaded.state !== 'answered' && !isNone)
    return (
      <Dialog title={title} onClose={onClose}>
        {loaded.state === 'loading' ? (
          <Skeleton lines={3} />
        ) : (
          <ProblemNotice problem={loaded.problem} onRetry={again} />
        )}
      </Dialog>
    )
  const open = loaded.state === 'answered' ? loaded.body : null
  const { method, below = '', button, text, done } = stepOf(name, open)
  const take = () => refusalOf(callApi<FactorReset>(method, path + below), (reset) => onDone(done(reset)))
  return (
    <DialogForm title={title} button={button} ask={take} onClose={onClose}>
      <p>{text}</p>
      <p>
        The link and their password remove all of their passkeys, app and codes, and end their sessions. A sign-in with
        a second factor cancels the reset, and so can every owner and admin, here.
      </p>
    </DialogForm>
  )
}
