// Exports page: the days of a file. They are typed as text and are in the URL once each is a whole day, so that a date can be typed.
import { useLayoutEffect, useState } from 'preact/hooks'
import { LONGEST_RETENTION_DAYS } from '../../../policies/tier.policy.ts'
import { InputField } from '../../parts/fields.view.tsx'
import { replaceUrl } from '../../parts/url-parameters.view.tsx'
import { dayIn, countDays, dayAfter, dayFromToday } from '../../text/day.ts'
import { formatNumber } from '../../text/format.ts'
import { Stack, Pair, Text } from '../../parts/layout.view.tsx'

const LATEST_DAYS = 30

/** Whole days in UTC, both included. */
export type Days = { start: string; end: string }

/** The days that the URL has. In their absence the file ends today, and has 30 days. */
function daysIn(parameters: URLSearchParams): Days {
  const end = dayIn(parameters.get('to')) ?? dayFromToday(0)
  return { start: dayIn(parameters.get('from')) ?? dayAfter(end, 1 - LATEST_DAYS), end }
}

function replaceDay(name: 'from' | 'to', day: string): void {
  const url = new URL(location.href)
  url.searchParams.set(name, day)
  replaceUrl(url)
}

export type TypedDays = {
  typed: Days
  onTyped: (name: keyof Days, text: string) => void
  /** Null if no file can be of what is typed. */
  days: Days | null
  fault: string | null
}

export function useDays(parameters: URLSearchParams): TypedDays {
  const { start, end } = daysIn(parameters)
  const [typed, setTyped] = useState({ start, end })
  // A link or the back button changes the URL.
  useLayoutEffect(() => setTyped((now) => ({ ...now, start })), [start])
  useLayoutEffect(() => setTyped((now) => ({ ...now, end })), [end])
  const fault = faultOf(typed)
  return {
    typed,
    onTyped: (name, text) => {
      setTyped((now) => ({ ...now, [name]: text }))
      if (dayIn(text) !== null) replaceDay(name === 'start' ? 'from' : 'to', text)
    },
    days: fault === null ? typed : null,
    fault,
  }
}

function faultOf(typed: Days): string | null {
  if (dayIn(typed.start) === null || dayIn(typed.end) === null) return 'Both days are needed.'
  if (typed.start > typed.end) return '“From” is later than “To”.'
  if (countDays(typed.start, typed.end) > LONGEST_RETENTION_DAYS)
    return `A file has at most ${formatNumber(LONGEST_RETENTION_DAYS)} days.`
  return null
}

export const DayFields = ({ typed, onTyped, fault }: TypedDays) => (
  <Stack gap={2}>
    <Pair>
      {(['start', 'end'] as const).map((name) => (
        <InputField
          key={name}
          label={name === 'start' ? 'From' : 'To'}
          type="date"
          max={dayFromToday(0)}
          value={typed[name]}
          onValue={(text) => onTyped(name, text)}
        />
      ))}
    </Pair>
    <Text as="p" tone={fault === null ? 'soft' : 'fault'} size="small" role="status">
      {fault ?? 'Whole days in UTC, both included.'}
    </Text>
  </Stack>
)
