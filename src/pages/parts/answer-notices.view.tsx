// Notices about an answer of the API: loading, refused, failed or done. Also the heading of something just opened.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { withOwnMessage, type Problem } from '../api/send-request.ts'
import type { LoadedAnswer } from '../api/use-answer.ts'
import { formatWait } from '../text/format.ts'
import { Button } from './button.view.tsx'
import { CopyButton } from './copy-button.view.tsx'
import { Icon } from './icon.view.tsx'
import { blocked } from './icons.ts'
import { Notice } from './page-blocks.view.tsx'

type Props = { problem: Problem; onRetry?: (() => void) | undefined }

/** Shows what happened, what to do next, and the request's id for the operator. */
export function ProblemNotice({ problem, onRetry }: Props) {
  const { message, requestId, retryAfterSeconds } = problem
  const fields = problem.fields.filter(({ path, rule }) => !message.startsWith(`${path}: ${rule}`))
  return (
    <Notice
      tone="bad"
      role="alert"
      title={
        <span class="with-sign">
          <Icon of={blocked} />
          <span>{message}</span>
        </span>
      }
    >
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
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </p>
      )}
    </Notice>
  )
}

/** Shows a problem. It looks calm if the organisation's tier is the reason, because nothing has failed. */
export function RefusalNotice({ problem, onRetry }: Props) {
  if (problem.code !== 'tier_required') return <ProblemNotice problem={problem} onRetry={onRetry} />
  return (
    <Notice title="Your organisation’s tier does not include this">
      <p>{problem.message}</p>
    </Notice>
  )
}

/** Reserves the space of something that is loading. @param lines of text, or of a table */
export const Skeleton = ({ lines }: { lines: number }) => (
  <div aria-busy="true">
    <span class="only-read">Loading</span>
    <div class="skeleton" ref={(element) => element?.style.setProperty('height', `${lines * 1.55}rem`)} />
  </div>
)

type AnsweredProps<T> = {
  answer: LoadedAnswer<T>
  /** The lines of the skeleton. */
  lines: number
  /** Messages by error code that replace the service's own. */
  words?: Readonly<Record<string, string>>
  children: (body: T) => ComponentChildren
}

/** Shows an answer: a skeleton while it loads, the reason if it is refused. */
export function Answered<T>({ answer: [loaded, again], lines, words = {}, children }: AnsweredProps<T>) {
  if (loaded.state === 'loading') return <Skeleton lines={lines} />
  if (loaded.state === 'refused')
    return <RefusalNotice problem={withOwnMessage(loaded.problem, words)} onRetry={again} />
  return <>{children(loaded.body)}</>
}

/** Says that an act is done. It takes the focus, because the pressed button may have disappeared. Give each act its own `key`. */
export function DoneNotice({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.focus(), [])
  return (
    <div ref={element} class="notice stack-s" role="status" tabIndex={-1}>
      {children}
    </div>
  )
}

/** The heading of something just opened. It takes the focus, so that the keyboard continues there. */
export function OpenedHeading({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  )
}
