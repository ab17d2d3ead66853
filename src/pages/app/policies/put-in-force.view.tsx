// What the policy that is written changes, and putting it in force: only where nobody has put another meanwhile.
import { useState } from 'preact/hooks'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Refusal } from '../../parts/refusal.view.tsx'
import { plural } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { Changes } from './changes.view.tsx'
import type { Draft } from './draft.ts'

type Given = {
  session: Session
  inForce: Policy
  draft: Draft
  problem: Problem | null
  onProblem: (problem: Problem | null) => void
  /** @param sent what was written when it was asked for */
  onPut: (policy: Policy, sent: Draft) => void
  onDiscard: () => void
  /** Reads what is in force by now; what is written stays. */
  onReadAgain: () => void
}

export function PutInForce({ session, inForce, draft, problem, onProblem, onPut, onDiscard, onReadAgain }: Given) {
  const [isAsking, setAsking] = useState(false)
  const changes = findPolicyChanges(inForce.document, draft.document)

  const words = `${plural(changes.length, 'change')}, not in force yet`

  const put = async (): Promise<void> => {
    if (isAsking || draft.fault !== null) return
    setAsking(true)
    const answer = await callIn<Policy>(session, 'PUT', '/api/policies', {
      body: draft.document,
      headers: { 'if-match': `"${inForce.version}"` },
    })
    setAsking(false)
    onProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') onPut(answer.body, draft)
  }

  if (changes.length === 0 && draft.fault === null) {
    return (
      <p class="soft" role="status">
        What is written is what is in force.
      </p>
    )
  }
  return (
    <>
      <p class="sticky card">
        <a href="#changes">{words}</a>
      </p>
      <section class="card stack" aria-labelledby="changes">
        <h2 id="changes" tabIndex={-1}>
          {words}
        </h2>
        {draft.fault !== null && <p class="fault">The JSON cannot be read: {draft.fault}</p>}
        {changes.length > 0 && <Changes changes={changes} caption="What it changes of the policy in force" />}
        <p>
          It holds from the organisation’s next call on. Requests that wait for approval, or are approved and have not
          run, are withdrawn.
        </p>
        {problem !== null && <Refusal problem={problem} />}
        <p class="row">
          <button
            type="button"
            class="button first"
            aria-disabled={isAsking || draft.fault !== null}
            onClick={() => void put()}
          >
            Put it in force
          </button>
          {problem?.code === 'conflict' && (
            <button type="button" class="button" onClick={onReadAgain}>
              Compare with what is in force now
            </button>
          )}
          <button type="button" class="button" onClick={onDiscard}>
            Discard the changes
          </button>
        </p>
      </section>
    </>
  )
}
