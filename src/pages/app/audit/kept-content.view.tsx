// What was asked and answered in a call, where the organisation keeps that. It is read only when somebody asks to: the ledger says who did.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import { may } from '../../../accounts/access/roles.policy.ts'
import type { ContentSchema } from '../../../management/content/content.schema.ts'
import type { Answer } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { callIn } from '../call-in.ts'

type Content = z.infer<typeof ContentSchema>

export function KeptContent({ session, id }: { session: Session; id: string }) {
  const [answer, setAnswer] = useState<Answer<Content> | null>(null)
  const { organisation } = session
  if (organisation === null || !may(organisation.role, 'content:read')) return null
  const read = (): void => {
    void callIn<Content>(session, 'GET', `/api/compliance/content/${encodeURIComponent(id)}`).then(setAnswer)
  }
  return (
    <section class="card stack" aria-labelledby="content">
      <h3 id="content">What was asked and answered</h3>
      <p>Kept only where the organisation chose so. The ledger says that you read it, before you have it.</p>
      {answer?.outcome !== 'answered' && (
        <p>
          <button type="button" class="button" onClick={read}>
            Read it, and have that written down
          </button>
        </p>
      )}
      {answer?.outcome === 'refused' && <Absent answer={answer} />}
      {answer?.outcome === 'answered' && <Shown content={answer.body} />}
    </section>
  )
}

/** That nothing was kept is no failure. */
const Absent = ({ answer: { problem } }: { answer: Extract<Answer<Content>, { outcome: 'refused' }> }) =>
  problem.code === 'not_found' ? (
    <p class="notice" role="status">
      {problem.message}
    </p>
  ) : (
    <ProblemNotice problem={problem} />
  )

const Shown = ({ content: { request, answer, truncated } }: { content: Content }) => (
  <>
    <h4>The request</h4>
    <pre tabIndex={0}>{JSON.stringify(request, null, 2)}</pre>
    <h4>The answer</h4>
    {answer === null ? (
      <p class="soft">Nothing was answered.</p>
    ) : (
      <pre tabIndex={0}>{JSON.stringify(answer, null, 2)}</pre>
    )}
    {truncated && <p class="soft">The end of the answer is left out.</p>}
  </>
)
