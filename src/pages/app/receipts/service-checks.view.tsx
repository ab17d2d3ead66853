// Receipts page: the service's own check of a receipt.
import type { ReceiptVerification } from '../../../management/receipts/receipts.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Card } from '../../parts/page-blocks.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { VerdictBadge } from '../evidence/browser-checks.view.tsx'
import { callApi } from '../session.ts'

export function ServiceChecks({ id }: { id: string }) {
  const answer = useAnswer(
    (signal) =>
      callApi<ReceiptVerification>('POST', `/api/health/receipts/${encodeURIComponent(id)}/verify`, {
        body: {},
        signal,
      }),
    [id],
  )
  return (
    <Card title="Checked by the service">
      <Answered answer={answer} lines={8}>
        {(verification) => <ServiceFindings verification={verification} />}
      </Answered>
    </Card>
  )
}

const RESULTS = { pass: ['good', 'pass'], fail: ['bad', 'fail'], not_available: ['soft', 'not available'] } as const

const ServiceFindings = ({ verification: { valid, checks, checked_by } }: { verification: ReceiptVerification }) => (
  <>
    <VerdictBadge
      verdict={valid ? 'valid' : checks.some(({ result }) => result === 'fail') ? 'not valid' : 'not proven'}
    />
    <ul class="findings">
      {checks.map(({ check, result, reason }) => (
        <li key={check}>
          <span class={`badge ${RESULTS[result][0]}`}>{RESULTS[result][1]}</span>
          <span>
            <b>{withSpaces(check)}</b> {reason}
          </span>
        </li>
      ))}
    </ul>
    <p class="soft small">
      <code>checked_by: {checked_by}</code>. The issuer has checked its own record: that is its word.
    </p>
  </>
)
