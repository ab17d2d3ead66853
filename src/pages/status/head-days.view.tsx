// The card of the last 90 days: a mark for each day, filled if the public log has a head of it. The newest head is checked with the
// page, the others when the reader asks for it, because many checks keep a slow processor busy.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import type { PublicHead } from '../../evidence/records/tree-head.ts'
import { Skeleton } from '../parts/answer-notices.view.tsx'
import { Button } from '../parts/button.view.tsx'
import { formatDay, plural } from '../text/format.ts'
import type { Components } from './ask-components.ts'
import { findHeadFault } from './check-log-head.ts'
import { bodyOf, type HeadCheck } from './log-head.view.tsx'

const DAYS = 90
/** A narrow screen shows only the last of the days. */
const NARROW_DAYS = 30
/** From so many heads on there is a mark for each day. */
const LEAST_HEADS = 7
const DAY_MS = 86_400_000

type DayHead = { day: string; head: PublicHead }

/** `fault`: why the head is not valid; null if it is, undefined if it is not checked. */
type CheckedHead = DayHead & { fault: string | null | undefined }

export function HeadDays({ components, check }: { components: Components; check: HeadCheck }) {
  const { days, head, keys } = components
  const [listed, newest, list] = [bodyOf(days)?.data, bodyOf(head), bodyOf(keys)]
  const heads = useMemo(() => headsOf(listed ?? [], newest), [listed, newest])
  const [faults, checkAll] = useFaults(heads, list)
  const faultOf = (one: PublicHead): string | null | undefined => {
    if (one !== newest || check.state === 'unknown') return faults?.get(one)
    return check.state === 'not valid' ? check.fault : check.state === 'valid' ? null : undefined
  }
  const checked = heads.map(({ day, head: one }) => ({ day, head: one, fault: faultOf(one) }))
  return (
    <section class="card flush" aria-labelledby="days">
      <div class="card-head">
        <h2 id="days">Public log, last {DAYS} days</h2>
      </div>
      <div class="card-body">
        {days === null || head === null || keys === null || check.state === 'checking' ? (
          <Skeleton lines={4} />
        ) : listed === undefined ? (
          <p>Not known: the log did not answer.</p>
        ) : (
          <Days
            heads={checked}
            today={days.at}
            hasKeys={list !== null}
            isChecking={faults !== null}
            onCheck={checkAll}
          />
        )}
      </div>
    </section>
  )
}

/** The newest head takes the place of the first of its day. */
function headsOf(listed: readonly PublicHead[], newest: PublicHead | null): DayHead[] {
  const heads = new Map<string, PublicHead>()
  for (const head of newest === null ? listed : [...listed, newest]) heads.set(head.timestamp.slice(0, 10), head)
  return Array.from(heads, ([day, head]) => ({ day, head }))
}

type HeadFaults = ReadonlyMap<PublicHead, string | null>

/** Returns the faults of the checked heads, null before a check, and what starts it. It checks one at a time, so that the page responds. */
function useFaults(
  heads: readonly DayHead[],
  keys: PublishedKeyHistory | null,
): [faults: HeadFaults | null, checkAll: () => void] {
  const [run, setRun] = useState<{ of: readonly DayHead[]; faults: HeadFaults } | null>(null)
  useLayoutEffect(() => {
    const next = run?.of === heads ? heads[run.faults.size] : undefined
    if (run === null || next === undefined || keys === null) return undefined
    const timer = setTimeout(() =>
      setRun({ of: heads, faults: new Map([...run.faults, [next.head, findHeadFault(next.head, keys)]]) }),
    )
    return () => clearTimeout(timer)
  }, [run, heads, keys])
  return [run?.of === heads ? run.faults : null, () => setRun({ of: heads, faults: new Map() })]
}

type DaysProps = {
  heads: readonly CheckedHead[]
  today: Date
  hasKeys: boolean
  isChecking: boolean
  onCheck: () => void
}

function Days({ heads, today, hasKeys, isChecking, onCheck }: DaysProps) {
  const days = Array.from({ length: DAYS }, (_, at) => dayBefore(today, DAYS - 1 - at))
  const byDay = new Map(heads.map((one) => [one.day, one]))
  const shown = days.flatMap((day) => byDay.get(day) ?? [])
  const hasUnchecked = shown.some(({ fault }) => fault === undefined)
  return (
    <>
      {shown.length < LEAST_HEADS ? (
        <p>
          {textOf(shown)}. A mark for each day appears here from {LEAST_HEADS} days on.
        </p>
      ) : (
        <Strip days={days} byDay={byDay} text={textOf(shown)} />
      )}
      <p class="soft small">
        {shown.length >= LEAST_HEADS && `${plural(shown.length, 'day')} with a head. `}
        <Signatures heads={shown} hasKeys={hasKeys} /> A day without a head shows that none was stored, not why.
      </p>
      {hasKeys && (isChecking || hasUnchecked) && (
        <p>
          <Button isDisabled={isChecking} onClick={() => !isChecking && onCheck()}>
            {hasUnchecked ? `Check all ${shown.length} signatures` : `All ${shown.length} signatures checked`}
          </Button>
        </p>
      )}
      <Faults heads={shown} />
    </>
  )
}

type StripProps = { days: readonly string[]; byDay: ReadonlyMap<string, CheckedHead>; text: string }

function Strip({ days, byDay, text }: StripProps) {
  const [first = '', firstOfNarrow = '', last = ''] = [days[0], days.at(-NARROW_DAYS), days.at(-1)]
  return (
    <div class="strip">
      <svg class="days" viewBox={`0 0 ${8 * DAYS - 2} 28`} preserveAspectRatio="none" role="img" aria-label={text}>
        {days.map((day, at) => (
          <rect key={day} class={markOf(byDay.get(day))} x={8 * at + 0.5} y="1" width="5" height="26" />
        ))}
      </svg>
      <p class="ends soft small">
        <time class="no-phone" dateTime={first}>
          {formatDay(first)}
        </time>
        <time class="only-phone" dateTime={firstOfNarrow}>
          {formatDay(firstOfNarrow)}
        </time>
        <time dateTime={last}>{formatDay(last)}</time>
      </p>
    </div>
  )
}

function Signatures({ heads, hasKeys }: { heads: readonly CheckedHead[]; hasKeys: boolean }) {
  if (heads.length === 0) return null
  if (!hasKeys) return <>Their signatures are not checked: the signing keys did not answer.</>
  const checked = heads.filter(({ fault }) => fault !== undefined)
  const valid = checked.filter(({ fault }) => fault === null).length
  const unchecked = heads.length - checked.length
  return (
    <>
      {valid} of {plural(checked.length, 'signature')} {checked.length === 1 ? 'is' : 'are'} valid, checked in this
      browser.
      {unchecked > 0 && ` ${unchecked} ${unchecked === 1 ? 'is' : 'are'} not checked.`}
    </>
  )
}

function Faults({ heads }: { heads: readonly CheckedHead[] }) {
  const broken = heads.filter(({ fault }) => typeof fault === 'string')
  const [first] = broken
  if (first === undefined) return null
  const which = broken.length === 1 ? 'The head of' : `${broken.length} heads are not valid, the first of`
  return (
    <p class="fault">
      {which} {formatDay(first.day)}
      {broken.length === 1 && ' is not valid'}. {first.fault}
    </p>
  )
}

function textOf(heads: readonly DayHead[]): string {
  const [first] = heads
  if (first === undefined) return `No head was stored in the last ${DAYS} days`
  return `A head was stored on ${heads.length} of the last ${DAYS} days, the first on ${formatDay(first.day)}`
}

function markOf(one: CheckedHead | undefined): string {
  if (one === undefined) return 'none'
  if (one.fault === undefined) return 'unchecked'
  return one.fault === null ? 'checked' : 'broken'
}

const dayBefore = (today: Date, days: number): string =>
  new Date(today.getTime() - days * DAY_MS).toISOString().slice(0, 10)
