// The notes of decisions, where the organisation keeps content. The ledger says who has read them, so nothing reads them unasked.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { ReasonsSchema } from '../../../management/approvals/approvals.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Refusal } from '../../parts/refusal.view.tsx'
import { callIn } from '../call-in.ts'

type Reasons = z.infer<typeof ReasonsSchema>

export function Notes({ session, id, nameOf }: { session: Session; id: string; nameOf: (id: string) => string }) {
  const [reasons, setReasons] = useState<Reasons | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, setAsking] = useState(false)

  const read = async (): Promise<void> => {
    if (isAsking) return
    setAsking(true)
    const answer = await callIn<Reasons>(session, 'GET', `/api/approvals/${id}/reasons`)
    setAsking(false)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    setReasons(answer.outcome === 'refused' ? null : answer.body)
  }

  return (
    <>
      {reasons === null && (
        <p class="row">
          <button type="button" class="button" aria-disabled={isAsking} onClick={() => void read()}>
            Read the notes
          </button>
          <span class="soft small">The ledger says who has read them.</span>
        </p>
      )}
      {problem !== null && <Refusal problem={problem} />}
      <div role="status" class="stack">
        {reasons !== null && reasons.data.length === 0 && <p>No note was given.</p>}
        {reasons?.data.map(({ acceptance_id: record, decided_by: by, reason }) => (
          <blockquote key={record} class="notice">
            <p>{reason ?? 'This note is not kept.'}</p>
            <p class="soft small">{nameOf(by)}</p>
          </blockquote>
        ))}
      </div>
    </>
  )
}
