// Finds an attestation's position in the public log, from the index. An isolate caches positions, and for a moment also
// that there is none.
import { BoundedMemory } from '../platform/cache.ts'
import { withinTime, type Clock } from '../platform/clock.ts'
import { parseId } from '../platform/ids.ts'
import type { PublicIndex } from './public-index.ts'

const REMEMBERED = 4096
const ABSENT_MS = 2000
const INDEX_LIMIT_MS = 5000

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Null unless the text is a UUID of version 4 in lower case. */
export const parseAttestationId = (text: string): Uint8Array | null => (UUID_V4.test(text) ? parseId('', text) : null)

export class AttestationPositions {
  readonly #index: Pick<PublicIndex, 'findPosition'>
  readonly #clock: Clock
  readonly #known = new BoundedMemory<number>(REMEMBERED)
  readonly #absentAt = new BoundedMemory<number>(REMEMBERED)

  constructor(index: Pick<PublicIndex, 'findPosition'>, clock: Clock) {
    this.#index = index
    this.#clock = clock
  }

  /** Null if the log does not have it yet. Rejects if the index fails or times out. */
  async find(attestationId: Uint8Array): Promise<number | null> {
    const name = attestationId.toHex()
    const known = this.#known.get(name)
    if (known !== undefined) return known
    if (Math.abs(this.#clock() - (this.#absentAt.get(name) ?? -Infinity)) < ABSENT_MS) return null
    const position = await withinTime(this.#index.findPosition(attestationId), INDEX_LIMIT_MS)
    if (position === null) this.#absentAt.set(name, this.#clock())
    else this.#known.set(name, position)
    return position
  }
}
