// What a printed list begins with: whose it is, what it lists, how it is narrowed, how many rows it has, when and where it was printed.
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatMoment } from '../../text/format.ts'
import type { View } from './columns.tsx'

export type Paper = {
  title: string
  /** The filters in words: “Blocked”, “1 to 30 November 2026”. */
  narrowed?: readonly string[]
}

type Props = { of: Paper; count: string; view: View }

export function PrintHead({ of: { title, narrowed = [] }, count, view: { organisation, isLocal } }: Props) {
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
        {title}: {[...narrowed, count].join(' · ')}
      </span>
      <span>
        Printed {formatMoment(at, isLocal)} from {location.origin + location.pathname + location.search}
      </span>
    </div>
  )
}
