// A list from its first page on: what it has, nothing yet, what failed, and a button for more.
import type { ComponentChildren } from 'preact'
import type { Listed } from '../api/use-list.ts'
import { plural } from '../text/format.ts'
import { ProblemNotice } from './problem-notice.view.tsx'
import { Skeleton } from './skeleton.view.tsx'

type Given<T> = {
  listed: Listed<T>
  /** Of one row: “key”. */
  noun: string
  empty: ComponentChildren
  children: (rows: readonly T[]) => ComponentChildren
}

export function ListOf<T>({ listed, noun, empty, children }: Given<T>) {
  const { rows, state, problem, hasMore, more, again } = listed
  const isFirst = rows.length === 0
  return (
    <div class="stack">
      {!isFirst && children(rows)}
      {isFirst && state === 'loading' && <Skeleton lines={8} />}
      {isFirst && state === 'ready' && empty}
      {problem !== null && <ProblemNotice problem={problem} onRetry={isFirst ? again : more} />}
      {!isFirst && (
        <p class="row">
          <span class="soft small" role="status">
            {plural(rows.length, noun)} shown{hasMore ? '' : ', all there are'}
          </span>
          {hasMore && (
            <button type="button" class="button" aria-disabled={state === 'loading'} onClick={more}>
              Load more
            </button>
          )}
        </p>
      )}
    </div>
  )
}
