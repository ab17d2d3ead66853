// The card of the last 90 days: a mark for each day, filled if the public log signed a head that this browser has checked.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import type { PublicHead } from '../../evidence/records/tree-head.ts'
import { Skeleton } from '../parts/answer-notices.view.tsx'
import { formatDay, plural } from '../text/format.ts'
import type { Components } from './ask-components.ts'
import { findHeadFault } from './check-log-head.ts'
import { bodyOf } from './log-head.view.tsx'

const DAYS = 90
const DAY_MS = 86_400_000

/** A day's first head, and why it is not valid. `undefined`: not checked. */
type DayHead = { day: string; head: PublicHead; fault?: string | null }

export function HeadDays({ components }: { components: Components }) {
  const { days, head, keys } = components
  const listed = bodyOf(days)?.data
  const heads = useMemo(() => headsOf(listed ?? [], bodyOf(head)), [listed, head])
  const checked = useChecked(heads, bodyOf(keys))
  return (
    <section class="card flush" aria-labelledby="days">
      <div class="card-head">
        <h2 id="days">Public log, last {DAYS} days</h2>
      </div>
      <div class="card-body">
        {days === null || head === null || keys === null ? (
          <Skeleton lines={4} />
        ) : listed === undefined ? (
          <p>Not known: the log did not answer.</p>
        ) : (
          <Strip heads={checked} today={days.at} hasKeys={bodyOf(keys) !== null} />
        )}
      </div>
    </section>
  )
}

/** Adds the newest head if its day is not in the list, which caches keep for five minutes. */
function headsOf(listed: readonly PublicHead[], newest: PublicHead | null): DayHead[] {
  const heads = new Map<string, PublicHead>()
  for (const head of newest === null ? listed : [newest, ...listed]) heads.set(head.timestamp.slice(0, 10), head)
  return Array.from(heads, ([day, head]) => ({ day, head }))
}

/** Checks one signature at a time, so that the page can be used meanwhile. Returns the heads unchecked until all are. */
function useChecked(heads: readonly DayHead[], keys: PublishedKeyHistory | null): readonly DayHead[] {
  const [done, setDone] = useState<{ of: readonly DayHead[]; checked: readonly DayHead[] } | null>(null)
  useLayoutEffect(() => {
    let isStopped = keys === null
    const checked: DayHead[] = []
    const next = (): void => {
      const one = heads[checked.length]
      if (isStopped || keys === null) return
      if (one === undefined) return setDone({ of: heads, checked })
      checked.push({ ...one, fault: findHeadFault(one.head, keys) })
      setTimeout(next)
    }
    next()
    return () => {
      isStopped = true
    }
  }, [heads, keys])
  return keys !== null && done?.of === heads ? done.checked : heads
}

type StripProps = { heads: readonly DayHead[]; today: Date; hasKeys: boolean }

function Strip({ heads, today, hasKeys }: StripProps) {
  const days = Array.from({ length: DAYS }, (_, at) => dayBefore(today, DAYS - 1 - at))
  const byDay = new Map(heads.map((one) => [one.day, one]))
  const shown = days.flatMap((day) => byDay.get(day) ?? [])
  const [first = '', last = ''] = [days[0], days.at(-1)]
  return (
    <>
      <div>
        <svg
          class="days"
          viewBox={`0 0 ${8 * DAYS - 2} 28`}
          preserveAspectRatio="none"
          role="img"
          aria-label={textOf(shown)}
        >
          {days.map((day, at) => (
            <rect key={day} class={markOf(byDay.get(day))} x={8 * at + 0.5} y="1" width="5" height="26" />
          ))}
        </svg>
        <p class="ends soft small">
          <time dateTime={first}>{formatDay(first)}</time>
          <time dateTime={last}>{formatDay(last)}</time>
        </p>
      </div>
      <p class="soft small">
        {plural(shown.length, 'day')} with a head. <Signatures heads={shown} hasKeys={hasKeys} />
      </p>
      <Faults heads={shown} />
      <p class="soft small">Made from the log’s own heads: a day without one is no outage.</p>
    </>
  )
}

function Signatures({ heads, hasKeys }: Omit<StripProps, 'today'>) {
  if (heads.length === 0) return null
  if (!hasKeys) return <>Their signatures are not checked: the signing keys did not answer.</>
  if (heads.some(({ fault }) => fault === undefined)) return <>Their signatures are being checked.</>
  const valid = heads.filter(({ fault }) => fault === null).length
  return (
    <>
      {valid} of {plural(heads.length, 'signature')} {heads.length === 1 ? 'is' : 'are'} valid, checked in this
      browser.{' '}
    </>
  )
}

function Faults({ heads }: { heads: readonly DayHead[] }) {
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
  if (first === undefined) return `No head was signed in the last ${DAYS} days`
  return `A head was signed on ${heads.length} of the last ${DAYS} days, the first on ${formatDay(first.day)}`
}

function markOf(one: DayHead | undefined): string {
  if (one === undefined) return 'none'
  if (one.fault === undefined) return 'unchecked'
  return one.fault === null ? 'checked' : 'broken'
}

const dayBefore = (today: Date, days: number): string =>
  new Date(today.getTime() - days * DAY_MS).toISOString().slice(0, 10)
