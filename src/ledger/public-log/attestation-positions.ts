// Where in the public log an attestation is, as the index says. An isolate remembers what it was told: where the log has
// it, as long as there is room; where it has not, for a moment.
import type { Clock } from '../../platform/clock.ts'
import { parseId } from '../../platform/ids.ts'
import type { PublicIndex } from './public-index.ts'
import { RecentValues } from './recent-values.ts'

const REMEMBERED = 4096
const ABSENT_MS = 2000

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export class AttestationPositions {
  readonly #index: Pick<PublicIndex, 'findPosition'>
  readonly #clock: Clock
  readonly #known = new RecentValues<number>(REMEMBERED)
  readonly #absentUntil = new RecentValues<number>(REMEMBERED)

  constructor(index: Pick<PublicIndex, 'findPosition'>, clock: Clock) {
    this.#index = index
    this.#clock = clock
  }

  /** Null where the log does not have it, or not yet; `no_id` for what is no UUID of version 4 in lower case. */
  async find(attestationId: string): Promise<number | null | 'no_id'> {
    const id = UUID_V4.test(attestationId) ? parseId('', attestationId) : null
    if (id === null) return 'no_id'
    const known = this.#known.get(attestationId)
    if (known !== undefined) return known
    if ((this.#absentUntil.get(attestationId) ?? 0) > this.#clock()) return null
    const position = await this.#index.findPosition(id)
    if (position === null) this.#absentUntil.set(attestationId, this.#clock() + ABSENT_MS)
    else this.#known.set(attestationId, position)
    return position
  }
}
