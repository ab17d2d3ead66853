// What was refused or failed: what happened, what to do next, and the id to tell the operator.
import type { Problem } from '../api/call.ts'
import { formatWait } from '../text/format.ts'
import { CopyButton } from './copy-button.view.tsx'

type Given = { problem: Problem; onRetry?: () => void }

export function ProblemNotice({ problem, onRetry }: Given) {
  const { message, requestId, retryAfterSeconds } = problem
  const fields = problem.fields.filter(({ path, rule }) => !message.startsWith(`${path}: ${rule}`))
  return (
    <div class="notice bad stack" role="alert">
      <p>{message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ path, rule }) => (
            <li key={`${path} ${rule}`}>
              <code>{path === '' ? 'body' : path}</code>: {rule}
            </li>
          ))}
        </ul>
      )}
      {retryAfterSeconds !== null && <p>Try again in {formatWait(retryAfterSeconds)}.</p>}
      {(requestId !== null || onRetry !== undefined) && (
        <p class="row small">
          {requestId !== null && (
            <span>
              Request <span class="hash">{requestId}</span> <CopyButton text={requestId} what="the request id" />
            </span>
          )}
          {onRetry !== undefined && (
            <button type="button" class="button" onClick={onRetry}>
              Try again
            </button>
          )}
        </p>
      )}
    </div>
  )
}
