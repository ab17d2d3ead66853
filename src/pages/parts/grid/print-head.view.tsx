// What a printed list begins with: whose it is, what it lists, how it is narrowed, how many rows it has, when and where it was printed.
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatMoment } from '../../text/format.ts'
import type { View } from './columns.tsx'

type Props = {
  /** What it lists and in which order. */
  label: string
  narrowed: readonly string[]
  count: string
  view: View
}

export function PrintHead({ label, narrowed, count, view: { organisation, isLocal } }: Props) {
  const [at, setAt] = useState(() => new Date())
  useLayoutEffect(() => {
    const now = (): void => setAt(new Date())
    addEventListener('beforeprint', now)
    return () => removeEventListener('beforeprint', now)
  }, [])
  return (
    <div class="only-print print-head" aria-hidden="true">
      <b>{organisation}</b>
      <span>
        {label}: {[...narrowed, count].join(' · ')}
      </span>
      <span>
        Printed {formatMoment(at, isLocal)} from {location.origin + location.pathname + location.search}
      </span>
    </div>
  )
}
