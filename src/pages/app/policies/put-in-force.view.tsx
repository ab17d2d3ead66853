// Policies page: shows the draft's changes and puts it in force, unless somebody else has changed the policy meanwhile.
import type { Policy } from '../../../management/policies/policies.schema.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import type { Problem } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { callApi, inOrganisation } from '../session.ts'
import { type Draft, wordsOfPath } from './policy-draft.ts'
import { useState } from 'preact/hooks'

type Props = {
  inForce: Policy
  draft: Draft
  problem: Problem | null
  onProblem: (problem: Problem | null) => void
  /** Called after success. @param sent the draft at the time of the request */
  onPut: (policy: Policy, sent: Draft) => void
  onDiscard: () => void
  /** Loads the policy in force again. The draft stays. */
  onReadAgain: () => void
}

export function PutInForce({ inForce, draft, problem, onProblem, onPut, onDiscard, onReadAgain }: Props) {
  const [isAsking, setAsking] = useState(false)
  const changes = findPolicyChanges(inForce.document, draft.document)

  const isWaiting = problem?.code === 'conflict' && problem.param === 'withdraw_waiting'
  const words = `${plural(changes.length, 'change')}, not in force yet`

  /** @param withdrawWaiting true once the person has seen how many requests the change withdraws */
  const put = async (withdrawWaiting: boolean): Promise<void> => {
    if (isAsking || draft.fault !== null) return
    setAsking(true)
    const answer = await callApi<Policy>('PUT', '/api/policies', {
      body: { ...draft.document, ...(withdrawWaiting && { withdraw_waiting: true }) },
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
        {changes.length > 0 && <ChangesTable changes={changes} caption="What it changes of the policy in force" />}
        <p>It holds from the organisation’s next call on.</p>
        {problem !== null && <RefusalNotice problem={problem} />}
        <p class="row">
          <Button look="first" isDisabled={isAsking || draft.fault !== null} onClick={() => void put(false)}>
            Put it in force
          </Button>
          {isWaiting && (
            <Button isDisabled={isAsking} onClick={() => void put(true)}>
              Put it in force and withdraw them
            </Button>
          )}
          {isWaiting && <a href={inOrganisation('/app/approvals')}>See what waits</a>}
          {problem?.code === 'conflict' && !isWaiting && (
            <Button onClick={onReadAgain}>Compare with what is in force now</Button>
          )}
          <Button onClick={onDiscard}>Discard the changes</Button>
        </p>
      </section>
    </>
  )
}

export type Change = ReturnType<typeof findPolicyChanges>[number]

/** Shows the differences between two policies, member by member. */
export function ChangesTable({ changes, caption }: { changes: readonly Change[]; caption: string }) {
  return <Table caption={caption} isCaptionHidden columns={COLUMNS} rows={changes} keyOf={({ path }) => path} />
}

const COLUMNS: readonly Column<Change>[] = [
  { name: 'Member', cell: ({ path }) => <code>{wordsOfPath(path)}</code> },
  { name: 'Change', cell: ({ change }) => change },
  { name: 'Before', cell: ({ change, before }) => (change === 'added' ? 'not there' : <Value of={before} />) },
  { name: 'After', cell: ({ change, after }) => (change === 'removed' ? 'not there' : <Value of={after} />) },
]

/** Shows a value in JSON with spaces, where a long one can wrap. */
const Value = ({ of }: { of: unknown }) => <code>{JSON.stringify(of, null, 1).replaceAll(/\n */g, ' ')}</code>
