// The table of calls, by day, with exact times. Each row opens its call. In a narrow window a call has two lines.
import type { ComponentChildren } from 'preact'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { formatCallCost, formatDayOfWeek, formatNumber, formatSeconds, formatTime } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import type { KeyNames } from '../key-and-person-names.view.tsx'

/** A call of the list, or a medical receipt, which says less. */
export type ListedCall = Pick<Call, 'id' | 'created_at' | 'outcome' | 'model' | 'use_case'> & Partial<Call>

type CallColumn = {
  name: string
  /** How it is drawn: see style/calls.css. */
  look?: string
  cell: (call: ListedCall) => ComponentChildren
}

const MODEL: CallColumn = { name: 'Model', look: 'nowrap', cell: ({ model }) => model }
const USE_CASE: CallColumn = {
  name: 'Use case',
  look: 'nowrap second',
  cell: ({ use_case: useCase }) => useCase ?? '–',
}
const RULE: CallColumn = { name: 'Rule', look: 'wide', cell: ({ rule }) => (rule == null ? '–' : ruleName(rule)) }
const REASON: CallColumn = {
  name: 'Reason',
  look: 'wide',
  cell: ({ reason }) => (reason == null ? '–' : reasonName(reason)),
}

const figure = (name: string, look: string, cell: (call: ListedCall) => string | null): CallColumn => ({
  name,
  look: `number ${look}`,
  cell: (call) => cell(call) ?? '–',
})

const ifKnown = <T,>(value: T | null | undefined, format: (value: T) => string): string | null =>
  value == null ? null : format(value)

const FIGURES = {
  tokensIn: figure('Tokens in', 'wide large', ({ input_tokens: count }) => ifKnown(count, formatNumber)),
  tokensOut: figure('Tokens out', 'wide large', ({ output_tokens: count }) => ifKnown(count, formatNumber)),
  cost: figure('Cost', 'cost', ({ outcome, cost_eur: cost }) =>
    outcome === 'passed' ? ifKnown(cost, formatCallCost) : null,
  ),
  took: figure('Took', 'wide', ({ response_ms: ms }) => ifKnown(ms, formatSeconds)),
}

/** What a list of calls shows: `full` with keys and tokens, `brief` without, `stopped` with rule and reason. */
export type CallColumns = 'full' | 'brief' | 'stopped' | 'receipts'

const columnsOf = (shown: CallColumns, keyNames: KeyNames): readonly CallColumn[] => {
  const outcome: CallColumn = {
    name: 'Outcome',
    look: 'first-line',
    cell: (call) => (
      <>
        <OutcomeBadge outcome={call.outcome} ending={call.ending ?? null} />
        {call.reason != null && <Why call={call} keyNames={keyNames} />}
      </>
    ),
  }
  const key: CallColumn = {
    name: 'Key',
    look: 'nowrap wide',
    cell: ({ key_id: id }) => (id == null ? '–' : (keyNames.get(id) ?? <span class="hash">{id}</span>)),
  }
  const { tokensIn, tokensOut, cost, took } = FIGURES
  switch (shown) {
    case 'full':
      return [outcome, MODEL, USE_CASE, key, tokensIn, tokensOut, cost, took]
    case 'brief':
      return [outcome, MODEL, USE_CASE, cost, took]
    case 'stopped':
      return [outcome, RULE, REASON, MODEL, USE_CASE, key]
    case 'receipts':
      return [outcome, MODEL, USE_CASE]
  }
}

/** The reason and the key of a stopped call, in a narrow window, which has no columns for them. */
const Why = ({ call: { reason = null, key_id: key = null }, keyNames }: { call: ListedCall; keyNames: KeyNames }) => (
  <span class="why">
    {reason !== null && reasonName(reason)}
    {key !== null && `, ${keyNames.get(key) ?? key}`}
  </span>
)

/** The time of a call; read aloud with the day and the model, since many links of a list are alike. */
const CallName = ({ of: { created_at: at, model } }: { of: ListedCall }) => (
  <>
    <time dateTime={at}>{formatTime(at)}</time>
    <span class="only-read">
      , {formatDayOfWeek(at.slice(0, 'YYYY-MM-DD'.length))}, {model}
    </span>
  </>
)

type Props = {
  caption: string
  calls: readonly ListedCall[]
  columns: CallColumns
  keyNames: KeyNames
  /** The id of the call that is open, or ''. */
  opened?: string
  /** Returns the link that covers the row. @param content the time of the call */
  link: (call: ListedCall, content: ComponentChildren) => ComponentChildren
}

export function CallTable({ caption, calls, columns: shown, keyNames, opened = '', link }: Props) {
  const columns = columnsOf(shown, keyNames)
  const days = [...Map.groupBy(calls, ({ created_at: at }) => at.slice(0, 'YYYY-MM-DD'.length))]
  return (
    <div class="table calls">
      <table>
        <caption class="only-read">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            {columns.map(({ name, look }) => (
              <th key={name} scope="col" class={look}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {days.map(([day, ofDay]) => (
          <tbody key={day}>
            <tr class="day">
              <th colSpan={columns.length + 1} scope="rowgroup">
                {formatDayOfWeek(day)}
              </th>
            </tr>
            {ofDay.map((call) => (
              <tr key={call.id} class={call.id === opened ? 'opened' : undefined}>
                <th scope="row">{link(call, <CallName of={call} />)}</th>
                {columns.map(({ name, look, cell }) => (
                  <td key={name} class={look}>
                    {cell(call)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}
