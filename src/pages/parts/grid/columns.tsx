// The columns of a list, by what they hold. A kind knows its width, its place on a phone, and how it looks in a file and on paper.
import type { ComponentChildren } from 'preact'
import type { Answer } from '../../api/send-request.ts'
import {
  dayOfTime,
  formatCallCost,
  formatDayOfWeek,
  formatMinute,
  formatNumber,
  formatTime,
} from '../../text/format.ts'

/** What cells depend on beside their row. A cell is a pure function of both, so only what changed is drawn anew. */
export type View = {
  /** Returns the name of a key or a person; null if the looking role may not know it. */
  nameOf: (id: string) => string | null
  /** True for times of this device, false for UTC. */
  isLocal: boolean
  /** Absent where nobody is signed in. */
  saved?: SavedViews
}

/** What a person saved of a list: the query of its page's address, under a name. */
export type SavedView = { list: string; name: string; search: string }

type ViewsAnswer = Promise<Answer<{ views: readonly SavedView[] }>>

/** The views that a person has saved. `replace` answers with all of them. */
export type SavedViews = {
  load: (signal?: AbortSignal) => ViewsAnswer
  replace: (views: readonly SavedView[]) => ViewsAnswer
  /** Adds to a path what it needs to lead to the same organisation. */
  linkTo: (path: string) => string
}

/** Where a cell stands in a row of a phone: lines with a start and an end. */
type Phone = 'title' | 'title-end' | 'line' | 'line-end' | 'quiet' | 'none'

type KindRules = {
  /** The width of the column in CSS grid. Parts of a list are drawn apart from each other, so it may not follow their content. */
  track: string
  phone: Phone
  /** The width of what the skeleton shows, in rem. */
  bone: number
  isEnd?: true
  isOffPaper?: true
}

const KINDS = {
  time: { track: '6.5rem', phone: 'title-end', bone: 4 },
  moment: { track: 'minmax(6.5rem, 10.5rem)', phone: 'line-end', bone: 8 },
  outcome: { track: 'minmax(8rem, 1.7fr)', phone: 'title', bone: 5 },
  name: { track: 'minmax(8rem, 1.5fr)', phone: 'title', bone: 8 },
  text: { track: 'minmax(7.25rem, 1fr)', phone: 'quiet', bone: 6 },
  wide: { track: 'minmax(10rem, 3fr)', phone: 'line', bone: 14 },
  id: { track: '9rem', phone: 'none', bone: 7 },
  number: { track: '5.5rem', phone: 'none', bone: 2.5, isEnd: true },
  money: { track: '5rem', phone: 'line-end', bone: 3, isEnd: true },
  figure: { track: 'minmax(8.5rem, 10rem)', phone: 'line', bone: 8 },
  act: { track: 'minmax(6rem, max-content)', phone: 'title-end', bone: 3, isEnd: true, isOffPaper: true },
} as const satisfies Readonly<Record<string, KindRules>>

type Kind = keyof typeof KINDS

export const rulesOf = (kind: Kind): KindRules => KINDS[kind]

type Options = {
  id: string
  head: string
  /** The width of the list in rem from which it is drawn. */
  from?: 60
  phone?: Phone
  /** The word before its value on a phone, which has no heads. */
  phoneWord?: string
  /** True for a column that is drawn only where a person chose it. */
  isOptional?: boolean
  isOffPaper?: boolean
}

type Placed = Pick<Options, 'from' | 'phone'> & { kind: Kind }

export const phoneOf = ({ kind, phone = rulesOf(kind).phone }: Placed): Phone => phone

/** True for a column of narrow lists and of phones, too. */
export const isAlwaysDrawn = (column: Placed): boolean => column.from === undefined && phoneOf(column) !== 'none'

/** `id` names it in the address (`?cols=`) and at the head of its column in a file. */
export type Column<Row> = Options & {
  kind: Kind
  cell: (row: Row, view: View) => ComponentChildren
  /** Drawn after it, outside of the link of a first column. */
  note?: (row: Row, view: View) => ComponentChildren
  /** Its value as text, for a file. */
  plain: (row: Row, view: View) => string
}

/** The name of a member that has such a value, or a function that finds one. */
type Get<Row, Value> =
  | { [K in keyof Row]-?: Row[K] extends Value | null | undefined ? K : never }[keyof Row]
  | ((row: Row) => Value | null | undefined)

type Of<Row, Value> = Options & { of: Get<Row, Value>; format?: (value: Value) => string }

const NOTHING = '–'

const shortId = (id: string): string => `…${id.slice(-6)}`

/** Returns the makers of columns for rows of one type. */
export function columnsOf<Row extends object>() {
  /** @param draw a value as a cell @param plain as text */
  const maker =
    <Value,>(
      kind: Kind,
      draw: (value: Value, view: View) => ComponentChildren,
      plain: (value: Value, view: View) => string = String,
    ) =>
    ({ of, format, ...options }: Of<Row, Value>): Column<Row> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Get allows only members of this type
      const read = (row: Row) => (typeof of === 'function' ? of(row) : (row[of] as Value | null | undefined)) ?? null
      return {
        ...options,
        kind,
        cell: (row, view) => {
          const value = read(row)
          return value === null ? NOTHING : (format?.(value) ?? draw(value, view))
        },
        plain: (row, view) => {
          const value = read(row)
          return value === null ? '' : plain(value, view)
        },
      }
    }
  return {
    /** The time within the day that its group names. */
    time: maker<string>('time', (at, { isLocal }) => <time dateTime={at}>{formatTime(at, isLocal)}</time>),
    /** A day with its time, to the minute. */
    moment: maker<string>('moment', (at, { isLocal }) => <time dateTime={at}>{formatMinute(at, isLocal)}</time>),
    text: maker<string>('text', (text) => text),
    number: maker<number>('number', formatNumber),
    money: maker<number>('money', formatCallCost),
    /** A key or a person by name, as far as the looking role may know it. */
    named: maker<string>('text', nameOrEnd, (id, { nameOf }) => nameOf(id) ?? id),
    id: maker<string>('id', (id) => <code title={id}>{shortId(id)}</code>),
    /** What can be done with a row. No file has it, and no paper. */
    act: (cell: Column<Row>['cell'], phone: Phone = KINDS.act.phone): Column<Row> => ({
      id: 'act',
      head: 'Action',
      kind: 'act',
      phone,
      cell,
      plain: () => '',
    }),
    /** What no other kind draws. */
    own: (column: Column<Row>): Column<Row> => column,
  }
}

/** The name of a key or a person; without one, the end of its id. */
export const nameOrEnd = (id: string, { nameOf }: View): ComponentChildren =>
  nameOf(id) ?? <span class="soft" title={id}>{`${kindOf(id)} ${shortId(id)}`}</span>

/** What a person did: who, and when below. */
export const personAndTime = (by: string, at: string, view: View): ComponentChildren => (
  <>
    {nameOrEnd(by, view)}
    <p class="soft small">
      <time dateTime={at}>{formatMinute(at, view.isLocal)}</time>
    </p>
  </>
)

/** Groups the rows of a list by their days. */
export function byDay({ created_at: at }: { created_at: string }, { isLocal }: View): readonly [string, string] {
  const day = dayOfTime(at, isLocal)
  return [day, formatDayOfWeek(day)]
}

const kindOf = (id: string): string => (id.startsWith('usr_') ? 'Person' : id.startsWith('key_') ? 'Key' : 'Id')
