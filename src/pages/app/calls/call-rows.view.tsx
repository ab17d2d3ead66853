// The list of calls: the grid with the way to a day, what is looked through by itself, and what stands in the place of no call.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'
import { RECENT_CALLS } from '../../../policies/tier.policy.ts'
import { ActButton } from '../../parts/button.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { byDay } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { ButtonLink, EmptyNotice } from '../../parts/surfaces.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatDayOfWeek, plural } from '../../text/format.ts'
import { MOST_LOOKED, type useLogList } from '../evidence/log-list.view.tsx'
import type { KeyNames } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { PlaygroundLink } from '../playground-link.view.tsx'
import { useView } from '../use-view.ts'
import { ALL_DAYS, CLOSED, narrowedInWords, openedBy, type narrowedBy } from './call-address.ts'
import { CALL_COLUMNS, CallName, RECEIPT_COLUMNS, type ListedCall } from './call-columns.tsx'
import { dayAfter, dayFromToday } from '../../text/day.ts'

/** The lists that the page of calls can show, and where each is read. Receipts alone are for roles that see no calls. */
export type Source = {
  path: '/api/calls' | '/api/health/receipts'
  /** True if the list has filters, and its calls come with their proofs. */
  isWhole: boolean
}

export type ListProps = { source: Source; parameters: URLSearchParams }

type RowsProps = ListProps & {
  listed: ReturnType<typeof useLogList<ListedCall>>['listed']
  count: number | null
  keyNames: KeyNames
  opened: string
  narrowed: ReturnType<typeof narrowedBy>
  /** Lists the calls that have come. */
  show: () => Promise<void>
}

export function CallRows({ listed, count, source, keyNames, opened, parameters, narrowed, show }: RowsProps) {
  const view = useView(useCallback((id: string) => keyNames.get(id) ?? id, [keyNames]))
  const isLooking = useLookFurther(listed)
  return (
    <DataGrid
      label="Calls, newest first"
      noun="call"
      file="calls"
      columns={source.path === '/api/calls' ? CALL_COLUMNS : RECEIPT_COLUMNS}
      rows={listed}
      keyOf={({ id }) => id}
      groupOf={byDay}
      {...{ view, opened, count }}
      link={(call, content) => (
        <ParameterLink look="cover" change={openedBy(call)}>
          <CallName of={call} view={view}>
            {content}
          </CallName>
        </ParameterLink>
      )}
      acts={(calls) => (
        <CopyButton text={calls.map(({ id }) => id).join('\n')} what="of the selected calls" label="Copy ids" look="" />
      )}
      {...(source.isWhole && { tools: (close) => <DayJump {...{ parameters, close }} /> })}
      beyond={
        <>
          <span>For older calls</span>
          <DayJump parameters={parameters} />
        </>
      }
      news={
        listed.fresh > 0 && (
          <ActButton act={() => show().then(focusFirst)}>
            {listed.fresh < MOST_LOOKED ? plural(listed.fresh, 'new call') : `${MOST_LOOKED}+ new calls`}
          </ActButton>
        )
      }
      empty={<NoCalls narrowed={narrowed} days={source.isWhole ? 30 : RECENT_CALLS.days} />}
      narrowed={source.isWhole ? narrowedInWords(parameters, keyNames) : []}
    >
      {isLooking ? (
        <span role="status">
          {listed.rows.length === 0 ? 'None' : plural(listed.rows.length, 'call')} so far. Looking further back …
        </span>
      ) : null}
    </DataGrid>
  )
}

/** The pressed button goes, so the focus goes to what it brought. */
const focusFirst = (): void => document.querySelector<HTMLElement>('[data-row] a')?.focus()

/** Scrolls to a day of the list that is loaded; otherwise the list begins with it. Its days are UTC, as those of the list. */
function goToDay(day: string): void {
  const loaded = [...document.querySelectorAll('.grid .group')].find(
    ({ textContent }) => textContent === formatDayOfWeek(day),
  )
  if (loaded === undefined) changeUrlParameters({ ...CLOSED, to: day })
  else loaded.scrollIntoView()
}

function DayJump({ parameters, close }: { parameters: URLSearchParams; close?: () => void }) {
  const last = parameters.get('to') ?? dayFromToday(0)
  const days = Array.from({ length: 30 }, (_, at) => dayAfter(last, -at))
  return (
    <select
      aria-label="Go to a day"
      value=""
      onChange={({ currentTarget }) => {
        goToDay(currentTarget.value)
        currentTarget.value = ''
        close?.()
      }}
    >
      <option value="">Go to a day</option>
      {days.map((day) => (
        <option key={day} value={day}>
          {formatDayOfWeek(day)}
        </option>
      ))}
    </select>
  )
}

/** So many pages of the log are looked through by themselves until a window is full of calls. Each takes a bounded look. */
const MOST_LOOKS = 20
const ENOUGH = 25

/** Looks on while few calls were found and there is more. Returns whether it does. */
function useLookFurther({ rows, state, hasMore, more }: RowsProps['listed']): boolean {
  const looks = useRef(0)
  if (rows.length >= ENOUGH) looks.current = 0
  const isLooking = rows.length < ENOUGH && hasMore && state !== 'refused' && looks.current < MOST_LOOKS
  useLayoutEffect(() => {
    if (!isLooking || state !== 'ready') return
    looks.current += 1
    more()
  })
  return isLooking
}

/** @param days of the list without days in the address */
function NoCalls({ narrowed, days }: Pick<RowsProps, 'narrowed'> & { days: number }) {
  if (narrowed === 'more')
    return (
      <EmptyNotice
        title="No call like this in these days"
        action={<ButtonLink href={inOrganisation('/app/calls')}>Show all calls</ButtonLink>}
      />
    )
  return (
    <EmptyNotice
      title={narrowed === 'days' ? 'No call in these days' : `No call in the last ${days} days`}
      action={
        <>
          {narrowed === 'days' && (
            <ParameterLink look="button" change={ALL_DAYS}>
              The last 30 days
            </ParameterLink>
          )}
          {narrowed === 'nothing' && hasPermission('keys:own') && <PlaygroundLink />}
        </>
      }
    >
      Each call that your policy decides is here from then on: outcome, cost, and its signed record.
    </EmptyNotice>
  )
}
