// The engraved lines of a signed record: a band, and a seal for what was checked. Computed, so that no page loads a picture of them.
import { useUniqueId } from './field-frame.view.tsx'

const TILE = { width: 240, height: 40 }
const STRANDS = 12
const STEP = 4

/** The y of a strand: two waves, whose product repeats with the tile. Every other strand runs against its neighbours. */
function strandAt(strand: number, x: number): number {
  const turn = (2 * Math.PI * x) / TILE.width
  const phase = (strand * Math.PI) / STRANDS
  const swell = 0.6 + 0.4 * Math.cos(turn + phase)
  return TILE.height / 2 + (strand % 2 === 0 ? 15 : -15) * swell * Math.sin(2 * turn + 2 * phase)
}

const pathThrough = (points: readonly (readonly [x: number, y: number])[]): string =>
  `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`

const BAND = Array.from({ length: STRANDS }, (_, strand) =>
  pathThrough(Array.from({ length: TILE.width / STEP + 1 }, (__, at) => [at * STEP, strandAt(strand, at * STEP)])),
).join('')

/** The band at the head of a signed record. */
export function Band() {
  const id = useUniqueId()
  return (
    <svg class="band" aria-hidden="true">
      <defs>
        <pattern id={id} width={TILE.width} height={TILE.height} patternUnits="userSpaceOnUse">
          <path d={BAND} />
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill={`url(#${id})`} />
    </svg>
  )
}

const CENTRE = 20
const PETALS = 12
const ROUND = 240

const ring = (radius: number, swing: number, phase: number): string =>
  pathThrough(
    Array.from({ length: ROUND + 1 }, (_, at) => {
      const angle = (2 * Math.PI * at) / ROUND
      const distance = radius + swing * Math.sin(PETALS * angle + phase)
      return [CENTRE + distance * Math.cos(angle), CENTRE + distance * Math.sin(angle)]
    }),
  )

const SEAL = [0, 1, 2, 3].map((one) => ring(15.4, 3.2, (one * Math.PI) / 2)).join('') + ring(11, 0, 0)

/** The room of a seal, while its signature is checked. */
export const SealRoom = () => <svg class="seal" viewBox="0 0 40 40" aria-hidden="true" />

/** The seal. Only for a signature that was checked, and found valid. */
export const Seal = () => (
  <svg class="seal" viewBox="0 0 40 40" aria-hidden="true">
    <path d={SEAL} />
    <path class="seal-sign" d="m13.5 20.8 3.3 3.3 5.8-7.6M20.4 23.6l.6.6 7.6-7.4" />
  </svg>
)
