// Why there is no answer. What the organisation's tier does not include is no failure, and is said calmly.
import type { Problem } from '../api/call.ts'
import { ProblemNotice } from './problem-notice.view.tsx'

type Given = { problem: Problem; onRetry?: () => void }

export function Refusal({ problem, onRetry }: Given) {
  if (problem.code !== 'tier_required') {
    return <ProblemNotice problem={problem} {...(onRetry !== undefined && { onRetry })} />
  }
  return (
    <div class="notice stack">
      <p>Your organisation’s tier does not include this</p>
      <p>{problem.message}</p>
    </div>
  )
}
