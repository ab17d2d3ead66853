// A QR code, drawn as one path: the pages' policy refuses data: images.
import { useMemo } from 'preact/hooks'
import { generate } from 'lean-qr/nano'
import { pathOf } from './qr-path.ts'

/** The margin that readers need, in modules. It is white in the dark theme too. */
const MARGIN = 4
const PIXELS = 260

export function QrCode({ text, label }: { text: string; label: string }) {
  const code = useMemo(() => generate(text), [text])
  const side = code.size + 2 * MARGIN
  return (
    <svg
      role="img"
      aria-label={label}
      width={PIXELS}
      height={PIXELS}
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={pathOf(code)} />
    </svg>
  )
}
