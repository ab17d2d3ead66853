// A list from its first page on: what it has, nothing yet, what failed, and a button for more.
import type { ComponentChildren } from 'preact'
import type { Listed } from '../api/use-list.ts'
import { plural } from '../text/format.ts'
import { Refusal } from './refusal.view.tsx'
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
      {isFirst && state === 'ready' && !hasMore && empty}
      {isFirst && state === 'ready' && hasMore && (
        <p class="soft" role="status">
          No {noun} in the part that was looked through so far. There is more to look through.
        </p>
      )}
      {problem !== null && <Refusal problem={problem} onRetry={isFirst ? again : more} />}
      {(!isFirst || hasMore) && (
        <p class="row">
          {!isFirst && (
            <span class="soft small" role="status">
              {plural(rows.length, noun)} shown{hasMore ? '' : ', all there are'}
            </span>
          )}
          {hasMore && (
            <button type="button" class="button" aria-disabled={state === 'loading'} onClick={more}>
              {isFirst ? 'Look further' : 'Load more'}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
