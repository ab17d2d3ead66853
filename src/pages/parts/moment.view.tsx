// A time: how long ago, with the exact one for who points at it, or asks for exact ones.
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatMoment, formatRelative } from '../text/format.ts'
import { timesShown, type TimesShown } from './times-shown.ts'

/** @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  const [shown, setShown] = useState<TimesShown>(timesShown.value)
  useLayoutEffect(() => timesShown.watch(setShown), [])
  const date = new Date(at)
  const isAgo = shown === 'relative'
  const exact = formatMoment(date, shown === 'local')
  const ago = formatRelative(date, new Date())
  return (
    <time dateTime={at} class={isAgo ? 'ago' : undefined} title={isAgo ? exact : ago}>
      {isAgo ? ago : exact}
    </time>
  )
}
