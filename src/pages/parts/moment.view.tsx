// A time: how long ago, with the exact one for who points at it, or asks for exact ones.
import { useEffect, useState } from 'preact/hooks'
import { formatMoment, formatRelative } from '../text/format.ts'
import { timesShown, type TimesShown } from './times-shown.ts'

/** @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  const [shown, setShown] = useState<TimesShown>(timesShown.value)
  useEffect(() => timesShown.watch(setShown), [])
  const date = new Date(at)
  const exact = formatMoment(date, shown === 'local')
  return (
    <time dateTime={at} title={shown === 'relative' ? exact : formatRelative(date, new Date())}>
      {shown === 'relative' ? formatRelative(date, new Date()) : exact}
    </time>
  )
}
