// The erasure of the organisation: what goes and what stays, asking for it, where it stands, and its cancellation.
import { useState } from 'preact/hooks'
import { may } from '../../../accounts/access/roles.policy.ts'
import type { OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import type { Answer, Problem } from '../../api/call.ts'
import type { Membership, Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { callIn } from '../call-in.ts'
import { canCancel } from '../closing/closing.ts'
import { showClosing } from '../closing/closing-notice.view.tsx'
import { EraseDialog } from './erase-dialog.view.tsx'
import { ErasureState } from './erasure-state.view.tsx'
import { Section } from './section.view.tsx'

type Given = { session: Session; organisation: Membership }

export function ErasureSection({ session, organisation }: Given) {
  const isOwner = may(organisation.role, 'organisation:erase')
  return (
    <Section id="erasure">
      <WhatGoes />
      {isOwner ? (
        <OwnErasure session={session} organisation={organisation} />
      ) : (
        <p>Only an owner can have the organisation erased.</p>
      )}
    </Section>
  )
}

export function WhatGoes() {
  return (
    <dl class="facts">
      <dt>What goes</dt>
      <dd>
        Everything sealed, by destroying its key; keys, settings, policies, members and invitations, usage and costs,
        prompts and answers. People who are in no other organisation go with it.
      </dd>
      <dt>By when</dt>
      <dd>
        Seven days after it is asked for, or at once. Copies of databases, from which the operator could restore after
        an accident, lapse 30 days later.
      </dd>
      <dt>What stays</dt>
      <dd>
        The hashes of the ledger (leaf hashes), their tree and the ids of receipts, also in the public log: a receipt
        that somebody kept can still be shown to be in the log. A hash says nothing by itself. The signed record of the
        erasure stays too.
      </dd>
      <dt>Before it</dt>
      <dd>
        <a href="#export">Export</a> what you must keep: nothing brings it back.
      </dd>
    </dl>
  )
}

function OwnErasure({ session, organisation }: Given) {
  const [loaded, again] = useAnswer((signal) => askErasure(session, organisation, signal), [organisation.id])
  const [isAsking, setAsking] = useState(false)
  const [isCancelling, setCancelling] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  /** What was just answered: once an erasure runs nobody is a member who could ask again. */
  const [latest, setLatest] = useState<OrganisationErasure | null>(null)

  const erase = async (name: string, isImmediate: boolean): Promise<Problem | null> => {
    const answer = await callIn<OrganisationErasure>(session, 'POST', '/api/settings/erasure', {
      body: { name, immediately: isImmediate },
    })
    if (answer.outcome === 'refused') return answer.problem
    setLatest(answer.body)
    setAsking(false)
    showClosing(session, answer.body)
    return null
  }

  const cancel = async (): Promise<void> => {
    if (isCancelling) return
    setCancelling(true)
    const answer = await callIn<OrganisationErasure>(session, 'DELETE', '/api/settings/erasure')
    setCancelling(false)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    setLatest(answer.outcome === 'answered' ? answer.body : null)
    if (answer.outcome === 'refused') again()
    else showClosing(session, null)
  }

  if (loaded.state === 'loading') return <Skeleton lines={3} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  const known = latest ?? loaded.body
  const isScheduled = known !== null && canCancel(known)
  return (
    <>
      {known !== null && <ErasureState erasure={known} />}
      {problem !== null && <ProblemNotice problem={problem} />}
      {isScheduled && (
        <p class="row">
          <button type="button" class="button first" aria-disabled={isCancelling} onClick={() => void cancel()}>
            Cancel the erasure
          </button>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            Erase at once instead
          </button>
        </p>
      )}
      {(known === null || known.status === 'cancelled') && (
        <p>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            Erase the organisation
          </button>
        </p>
      )}
      {isAsking && (
        <EraseDialog
          name={organisation.name}
          isScheduled={isScheduled}
          onErase={erase}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Null: none is asked for. The service is asked only where the session tells of one. */
async function askErasure(
  session: Session,
  { erasure }: Membership,
  signal: AbortSignal,
): Promise<Answer<OrganisationErasure | null>> {
  const none = { outcome: 'answered', body: null, headers: new Headers() } as const
  if (erasure === null) return none
  const answer = await callIn<OrganisationErasure>(session, 'GET', '/api/settings/erasure', { signal })
  return answer.outcome === 'refused' && answer.problem.code === 'not_found' ? none : answer
}
