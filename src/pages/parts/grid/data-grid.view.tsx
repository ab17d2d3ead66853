// Every list of the dashboard: typed columns, days or other groups, one link a row, the keyboard, selection, a form for paper. Rows are
// CSS grids, since a browser leaves out of sight only what is no table row; elements keep their roles by `role`.
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { LoadedList } from '../../api/use-list.ts'
import { formatNumber, plural, zoneName } from '../../text/format.ts'
import { RefusalNotice } from '../answer-notices.view.tsx'
import { Button } from '../button.view.tsx'
import { isAlwaysDrawn, phoneOf, rulesOf, type Column, type View } from './columns.tsx'
import { useChosenColumns } from './grid-address.ts'
import { GridMenu } from './grid-menu.view.tsx'
import { useReturnToPlace } from './return-to-place.ts'
import { useRowKeys } from './row-keys.ts'

export type GridProps<Row> = {
  /** What it lists and in which order, for screen readers: “Calls, newest first”. */
  label: string
  /** The noun for a row: “call”. */
  noun: string
  /** The noun for several rows, if it is not made by an s. */
  nouns?: string
  columns: readonly Column<Row>[]
  /** What is loaded, with its state; or rows that are all there. */
  rows: LoadedList<Row> | readonly Row[]
  keyOf: (row: Row) => string
  view: View
  /** The link that covers a row, drawn in its first column. Absent: rows open nothing. */
  link?: (row: Row, content: ComponentChildren, view: View) => ComponentChildren
  /** The key of the row that is open, or ''. */
  opened?: string
  /** The key and the words of a row's group, such as its day. Rows come in the order of their groups. */
  groupOf?: (row: Row, view: View) => readonly [key: string, words: string]
  /** What can be done with selected rows. Absent: nothing is selected. */
  acts?: (selected: readonly Row[]) => ComponentChildren
  /** Drawn in the place of a list without rows. */
  empty: ComponentChildren
  /** How many rows there are in all; null if that is not known. */
  count?: number | null
  /** How it is narrowed, in words for paper: “Blocked”, “1 to 30 November 2026”. */
  narrowed?: readonly string[]
  /** The name of its file, for the list that a page is about: it has a menu and a head on paper. Absent for a part of a page. */
  file?: string
  /** Further tools of its menu, such as a jump to a day. @param close closes the menu */
  tools?: (close: () => void) => ComponentChildren
  /** Offered in the place of more rows once the list has so many that a page serves nobody. */
  beyond?: ComponentChildren
  /** Drawn over its head, and told to screen readers: what has come since. */
  news?: ComponentChildren
  /** A line below. */
  children?: ComponentChildren
}

const isLoaded = <Row,>(rows: GridProps<Row>['rows']): rows is LoadedList<Row> => 'state' in rows

const NONE: ReadonlySet<string> = new Set()

const MOST_ROWS = 5_000

export function DataGrid<Row>(given: GridProps<Row>) {
  const nouns = given.nouns ?? `${given.noun}s`
  const { columns: all, rows: listed, keyOf, count = null, noun, empty, view, opened = '', acts, groupOf, file } = given
  const list = isLoaded(listed) ? listed : null
  const rows = isLoaded(listed) ? listed.rows : listed
  const chosen = useChosenColumns(all, file !== undefined)
  const [selected, setSelected] = useState(NONE)
  const root = useRef<HTMLDivElement>(null)
  const toggle = (key: string): void => setSelected((before) => before.symmetricDifference(new Set([key])))
  /** The button goes with the selection: the focus goes back to a row. */
  const clear = (): void => {
    root.current?.querySelector<HTMLElement>('[aria-selected=true] a')?.focus({ preventScroll: true })
    setSelected(NONE)
  }
  useRowKeys(root, acts && toggle)
  useReturnToPlace(
    file === undefined ? null : (list ?? { rows, state: 'ready', hasMore: false, more: () => undefined }),
  )
  const before = useRef<readonly Part<Row>[]>([])
  const parts = useMemo(() => (before.current = reused(before.current, partsOf(rows, given))), [rows, groupOf, view])
  const chosenRows = selected.size === 0 ? [] : rows.filter((row) => selected.has(keyOf(row)))
  const isFirst = rows.length === 0
  const isWaiting = isFirst && list?.state === 'loading'
  if (isFirst && list?.problem != null) return <RefusalNotice problem={list.problem} onRetry={list.again} />
  if (isFirst && !isWaiting && list?.hasMore !== true) return <>{empty}</>
  // A link in a column that is not drawn could not be followed.
  const linked = chosen.shown.find(isAlwaysDrawn)
  const shared: Shared<Row> = { ...given, columns: chosen.shown, hasBoxes: acts !== undefined, toggle, linked }
  const counted = countText({ shown: rows.length, count, noun, nouns, hasMore: list?.hasMore ?? false })
  return (
    <div
      ref={root}
      class="grid"
      data-grid
      data-dense={chosen.isDense || undefined}
      data-long={parts.length > 1 || undefined}
    >
      {file !== undefined && (
        <p class="only-print" aria-hidden="true">
          {given.label}: {[...(given.narrowed ?? []), counted].join(' · ')}
        </p>
      )}
      <div class="grid-card">
        {given.news !== undefined && (
          <div class="grid-menu no-print" role="status">
            {given.news}
          </div>
        )}
        {file !== undefined && (
          <GridMenu
            {...{ file, ...chosen, tools: given.tools, saved: view.saved }}
            columns={all.map((column) => ({
              id: column.id,
              head: column.head,
              from: column.from,
              phone: phoneOf(column),
              isShown: chosen.shown.includes(column),
            }))}
            texts={() => textsOf(chosen.shown, rows, view)}
          />
        )}
        <table role="table" aria-rowcount={count ?? -1} aria-busy={isWaiting} ref={(table) => setTracks(table, shared)}>
          <caption class="only-read">{given.label}</caption>
          <Head {...shared} />
          {isWaiting && <Bones {...shared} />}
          {parts.map((part) => (
            <PartBody
              key={part.key}
              {...{ part, shared, view }}
              opened={part.keys.has(opened) ? opened : ''}
              selected={selected.isDisjointFrom(part.keys) ? NONE : selected}
            />
          ))}
        </table>
        {!isWaiting && <Foot {...{ list, noun, isFirst, counted, beyond: given.beyond }}>{given.children}</Foot>}
      </div>
      {chosenRows.length > 0 && (
        <div class="grid-acts notice row sticky no-print" role="group" aria-label="Selected rows">
          <b role="status">{plural(chosenRows.length, noun, nouns)} selected</b>
          {acts?.(chosenRows)}
          <Button onClick={clear}>Clear</Button>
        </div>
      )}
    </div>
  )
}

/** The rows as texts, the heads of their columns first. */
function textsOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  view: View,
): readonly (readonly string[])[] {
  const kept = columns.filter(({ kind }) => kind !== 'act')
  return [kept.map(({ id }) => id), ...rows.map((row) => kept.map(({ plain }) => plain(row, view)))]
}

type Counted = { shown: number; count: number | null; noun: string; nouns: string; hasMore: boolean }

function countText({ shown, count, noun, nouns, hasMore }: Counted): string {
  const rows = plural(count !== null && hasMore ? count : shown, noun, nouns)
  if (!hasMore) return rows
  return count === null ? `${rows} shown` : `The first ${formatNumber(shown)} of ${rows}`
}

type FootProps<Row> = Pick<GridProps<Row>, 'noun' | 'beyond' | 'children'> & {
  list: LoadedList<Row> | null
  isFirst: boolean
  counted: string
}

/** How many rows there are, and the way to more. */
function Foot<Row>({ list, noun, isFirst, counted, beyond, children }: FootProps<Row>) {
  const isWaiting = list?.state === 'loading'
  const isFull = beyond !== undefined && (list?.rows.length ?? 0) >= MOST_ROWS
  return (
    <div class="foot-line row between">
      {children ?? (
        <span role="status">
          {!isFirst && counted}
          {isFirst && `No ${noun} in the part that was looked through so far. There is more.`}
        </span>
      )}
      {list !== null && list.problem !== null && <RefusalNotice problem={list.problem} onRetry={list.more} />}
      {list?.hasMore === true && isFull && <span class="row">{beyond}</span>}
      {list?.hasMore === true && !isFull && (
        <Button isDisabled={isWaiting} onClick={list.more}>
          {isFirst ? 'Look further' : 'Show more'}
        </Button>
      )}
    </div>
  )
}

/** The places that begin a line of a row on a phone. */
const OWN_LINES: ReadonlySet<string> = new Set(['title', 'line', 'quiet'])

/** The tracks of the columns by the width of the list. The CSP allows a style that a script sets, and none in the HTML. */
function setTracks<Row>(table: HTMLElement | null, { columns, hasBoxes }: Shared<Row>): void {
  for (const width of [0, 60]) {
    const shown = columns.filter(({ from = 0 }) => from <= width).map(({ kind }) => rulesOf(kind).track)
    const least = shown.reduce((sum, track) => sum + Number(/[\d.]+(?=rem)/.exec(track)), 0)
    // The gaps, the box and the menu take theirs first. Columns that do not fit give way alike, so that none is cut off.
    const room = `100cqi - ${shown.length + (hasBoxes ? 7.75 : 5.5)}rem`
    const tracks = shown.map((track) => track.replaceAll(/([\d.]+)rem/g, `min($&, calc((${room}) * $1 / ${least}))`))
    table?.style.setProperty(`--tracks-${width}`, [...(hasBoxes ? ['1.25rem'] : []), ...tracks].join(' '))
  }
  const lines = columns.filter((column) => OWN_LINES.has(phoneOf(column)))
  table?.style.setProperty('--lines', String(lines.length))
}

/** So many rows are drawn, and left out of sight, together. */
const PART_ROWS = 50

/** `words`: those of its group, in the group's first part. */
type Part<Row> = { key: string; words: string | null; rows: readonly Row[]; keys: ReadonlySet<string> }

function partsOf<Row>(rows: readonly Row[], { groupOf, keyOf, view }: GridProps<Row>): readonly Part<Row>[] {
  const groups = new Map<string, { words: string | null; rows: Row[] }>()
  for (const row of rows) {
    const [key, words] = groupOf?.(row, view) ?? ['', null]
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { words, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups].flatMap(([key, group]) =>
    Array.from({ length: Math.ceil(group.rows.length / PART_ROWS) }, (_, at): Part<Row> => {
      const own = group.rows.slice(at * PART_ROWS, (at + 1) * PART_ROWS)
      return { key: `${key} ${at}`, words: at === 0 ? group.words : null, rows: own, keys: new Set(own.map(keyOf)) }
    }),
  )
}

/** Keeps the parts that are as they were: more rows below, or new ones above, draw only what changed. */
function reused<Row>(before: readonly Part<Row>[], parts: readonly Part<Row>[]): readonly Part<Row>[] {
  const known = new Map(before.map((part) => [part.key, part]))
  return parts.map((part) => {
    const old = known.get(part.key)
    const isSame =
      old?.rows.length === part.rows.length &&
      old.words === part.words &&
      old.rows.every((row, at) => row === part.rows[at])
    return isSame ? old : part
  })
}

type Shared<Row> = GridProps<Row> & {
  hasBoxes: boolean
  toggle: (key: string) => void
  /** Its cells have the links of the rows. */
  linked: Column<Row> | undefined
}

/** The attributes of a column's cells, from which the style sheet draws them. */
function looksOf<Row>(column: Column<Row>) {
  const { kind, phoneWord, from, isOffPaper } = column
  const rules = rulesOf(kind)
  return {
    'data-kind': kind,
    'data-phone': phoneOf(column),
    'data-word': phoneWord,
    'data-from': from,
    'data-end': rules.isEnd,
    'data-paper': (isOffPaper ?? rules.isOffPaper) ? 'off' : undefined,
  }
}

/** Times say in which zone they are. */
const headOf = <Row,>({ head, kind }: Column<Row>, { isLocal }: View): string =>
  kind === 'time' || kind === 'moment' ? `${head} (${zoneName(isLocal)})` : head

const Head = <Row,>({ columns, hasBoxes, view }: Shared<Row>) => (
  <thead role="rowgroup">
    <tr role="row">
      {hasBoxes && (
        <th role="columnheader" data-kind="box">
          <span class="only-read">Selected</span>
        </th>
      )}
      {columns.map((column) => (
        <th key={column.id} role="columnheader" scope="col" {...looksOf(column)}>
          {column.kind === 'act' ? <span class="only-read">{column.head}</span> : headOf(column, view)}
        </th>
      ))}
    </tr>
  </thead>
)

type PartProps<Row> = {
  part: Part<Row>
  shared: Shared<Row>
  view: View
  opened: string
  selected: ReadonlySet<string>
}

/** It is drawn anew only where something in it changed: opening a call touches one or two parts, and not a thousand rows. */
function PartBody<Row>({ part, shared, view, opened, selected }: PartProps<Row>) {
  const { columns, hasBoxes } = shared
  return useMemo(
    () => (
      <tbody role="rowgroup" ref={(body) => body?.style.setProperty('--rows', String(part.rows.length))}>
        {part.words !== null && (
          <tr role="row" class="group">
            <th role="rowheader" scope="rowgroup" colSpan={columns.length}>
              {part.words}
            </th>
          </tr>
        )}
        {part.rows.map((row) => (
          <Line key={shared.keyOf(row)} {...{ row, shared, view, opened, selected }} />
        ))}
      </tbody>
    ),
    [part, columns, hasBoxes, view, opened, selected],
  )
}

type LineProps<Row> = Omit<PartProps<Row>, 'part'> & { row: Row }

function Line<Row>({ row, shared, view, opened, selected }: LineProps<Row>) {
  const { columns, keyOf, link, hasBoxes, toggle } = shared
  const key = keyOf(row)
  return (
    <tr
      role="row"
      data-row={key}
      aria-current={key === opened ? 'true' : undefined}
      aria-selected={hasBoxes ? selected.has(key) : undefined}
    >
      {hasBoxes && (
        <td role="cell" data-kind="box">
          <label>
            <input
              type="checkbox"
              aria-label="Select this row"
              checked={selected.has(key)}
              onChange={() => toggle(key)}
            />
          </label>
        </td>
      )}
      {columns.map((column) => {
        const content = column.cell(row, view)
        return column === shared.linked ? (
          <th key={column.id} role="rowheader" scope="row" {...looksOf(column)}>
            {link === undefined ? content : link(row, content, view)}
            {column.note !== undefined && <> {column.note(row, view)}</>}
          </th>
        ) : (
          <td key={column.id} role="cell" {...looksOf(column)}>
            {content}
            {column.note !== undefined && <> {column.note(row, view)}</>}
          </td>
        )
      })}
    </tr>
  )
}

const BONE_ROWS = 12

/** The list before its rows are there, in its own columns, so that nothing moves. */
const Bones = <Row,>({ columns, hasBoxes, groupOf }: Shared<Row>): JSX.Element => (
  <tbody role="rowgroup">
    {groupOf !== undefined && (
      <tr role="row" class="group">
        <td role="cell" colSpan={columns.length}>
          <div class="skeleton" />
        </td>
      </tr>
    )}
    {Array.from({ length: BONE_ROWS }, (_, at) => (
      <tr key={at} role="row">
        {hasBoxes && <td role="cell" data-kind="box" />}
        {columns.map((column) => (
          <td key={column.id} role="cell" {...looksOf(column)}>
            <div class="skeleton" ref={(bone) => bone?.style.setProperty('width', `${rulesOf(column.kind).bone}rem`)} />
          </td>
        ))}
      </tr>
    ))}
  </tbody>
)
