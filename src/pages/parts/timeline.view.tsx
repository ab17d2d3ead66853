// Steps in the order in which they happened, each with its exact time.
import type { ComponentChildren } from 'preact'
import { dayOfTime, formatTime } from '../text/format.ts'
import { exactTime, isLocalChosen } from './times.view.tsx'

export type TimelineStep = {
  /** Tells it from another step of the same name. */
  id?: string
  name: string
  text?: ComponentChildren
  /** ISO 8601. */
  at?: string | null
  /** `now`: it waits; `later`: it has not happened. */
  state?: 'now' | 'later'
}

const TONES: Readonly<Record<string, string>> = { done: 'changed', now: 'held', later: '' }

export function Timeline({ label, steps }: { label: string; steps: readonly TimelineStep[] }) {
  const first = steps.find(({ at }) => typeof at === 'string')?.at ?? ''
  return (
    <ol class="plain timeline" aria-label={label}>
      {steps.map(({ id, name, text, at, state = 'done' }) => (
        <li key={id ?? name} class={`row between small ${TONES[state]}`} data-gap="1">
          <b>{name}</b>
          {typeof at === 'string' && <time dateTime={at}>{timeOf(at, first)}</time>}
          {state === 'now' && <span>now</span>}
          {text !== '' && text != null && <span data-whole>{text}</span>}
        </li>
      ))}
    </ol>
  )
}

/** The time of the day alone on the day of the first step. */
function timeOf(at: string, first: string): string {
  const isLocal = isLocalChosen()
  return dayOfTime(at, isLocal) === dayOfTime(first, isLocal) ? formatTime(at, isLocal) : exactTime(at)
}
