// A table that loads its rows page by page, and the notice for an empty list.
import type { ComponentChildren } from 'preact'
import type { LoadedList } from '../api/use-list.ts'
import { plural } from '../text/format.ts'
import { Button } from './button.view.tsx'
import { RefusalNotice, Skeleton } from './answer-notices.view.tsx'
import { Table, type TableProps } from './table.view.tsx'

export { figures, type Column } from './table.view.tsx'

type ListProps<Row> = {
  listed: LoadedList<Row>
  /** The noun for a row: “key”. */
  noun: string
  empty: ComponentChildren
}

/** A list as a table, with notices for an empty or failed list and a button for more rows. */
export function ListTable<Row>({ listed, noun, empty, ...table }: ListProps<Row> & Omit<TableProps<Row>, 'rows'>) {
  const { rows, state, problem, hasMore, more, again } = listed
  const isFirst = rows.length === 0
  return (
    <div class="stack">
      {!isFirst && <Table {...table} rows={rows} />}
      {isFirst && state === 'loading' && <Skeleton lines={8} />}
      {isFirst && state === 'ready' && !hasMore && empty}
      {isFirst && state === 'ready' && hasMore && (
        <p class="soft" role="status">
          No {noun} in the part that was looked through so far. There is more to look through.
        </p>
      )}
      {problem !== null && <RefusalNotice problem={problem} onRetry={isFirst ? again : more} />}
      {(!isFirst || hasMore) && (
        <p class="row">
          {!isFirst && (
            <span class="soft small" role="status">
              {plural(rows.length, noun)}
              {hasMore && ' so far'}
            </span>
          )}
          {hasMore && (
            <Button isDisabled={state === 'loading'} onClick={more}>
              {isFirst ? 'Look further' : 'Load more'}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

type EmptyProps = { title: string; children: ComponentChildren; action?: ComponentChildren }

/** The notice for an empty list: what it will contain, and one thing to do. */
export const EmptyNotice = ({ title, children, action }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    <p class="soft">{children}</p>
    {action}
  </div>
)
