// How many bytes of large request bodies an isolate holds at once. The platform gives an isolate 128 MiB for
// everything, and can end all of its calls where that is passed: so the one too many is refused. Small bodies need no room.

const MIB = 1024 * 1024

export type RoomLimits = {
  /** Of all large bodies together. */
  readonly totalBytes: number
  /** Of those of one owner, so that nobody can take all of it. */
  readonly ownerBytes: number
  /** A body of more is a large one. */
  readonly largeBytes: number
  /** By when a large body has to have arrived, with or without room: counted from when room is first asked for. */
  readonly arrivalMs: number
  /**
   * After which room counts as free that its call has not asked for again: the runtime can end a call by force, its timers
   * with it, and then nothing gives it back.
   */
  readonly leaseMs: number
}

export const ROOM_LIMITS: RoomLimits = {
  totalBytes: 32 * MIB,
  ownerBytes: 16 * MIB,
  largeBytes: MIB / 4,
  arrivalMs: 30_000,
  leaseMs: 60_000,
}

type Outside = {
  readonly now: () => number
  /** Schedules an action and returns what cancels it. */
  readonly after: (delayMs: number, action: () => void) => () => void
  readonly limits?: RoomLimits
}

/** The room of one call. */
export type Place = {
  /** Whether a body of so many bytes may be read on; asked again as it grows. After a no the place holds nothing. */
  readonly reserve: (bytes: number) => boolean
  /** What is awaited, or 'too_slow' where a large body takes longer than it may. */
  readonly within: <T>(arriving: Promise<T>) => Promise<T | 'too_slow'>
  /** Gives the room back, for good. */
  readonly release: () => void
}

export type BodyRoom = {
  /**
   * @param owner whose share it is of
   * @param onTaken called when the place first takes room, with what is fulfilled when it is given back
   */
  open(owner: string, onTaken: (released: Promise<void>) => void): Place
}

export function createBodyRoom({ now, after, limits = ROOM_LIMITS }: Outside): BodyRoom {
  const taken = new Map<Place, { owner: string; bytes: number; until: number }>()

  function freeFor(owner: string): number {
    let bytes = limits.totalBytes
    let share = limits.ownerBytes
    for (const [place, held] of taken) {
      if (held.until <= now()) {
        taken.delete(place)
        continue
      }
      bytes -= held.bytes
      if (held.owner === owner) share -= held.bytes
    }
    return Math.min(bytes, share)
  }

  return {
    open(owner, onTaken) {
      const released = Promise.withResolvers<void>()
      let isClosed = false
      let stopWatch = nothing
      let stopRenewal = nothing
      let giveUp = nothing

      const close = (): void => {
        isClosed = true
        stopRenewal()
        taken.delete(place)
        released.resolve()
      }

      const take = (bytes: number): void => {
        stopRenewal()
        taken.set(place, { owner, bytes, until: now() + limits.leaseMs })
        stopRenewal = after(limits.leaseMs / 2, () => take(bytes))
      }

      const place: Place = {
        reserve(bytes) {
          if (isClosed) return false
          if (bytes <= limits.largeBytes) return true
          const held = taken.get(place)
          if (held === undefined) stopWatch = after(limits.arrivalMs, () => giveUp())
          if (bytes - (held?.bytes ?? 0) > freeFor(owner)) {
            close()
            return false
          }
          take(bytes)
          if (held === undefined) onTaken(released.promise)
          return true
        },
        async within<T>(arriving: Promise<T>) {
          try {
            return await new Promise<T | 'too_slow'>((resolve, reject) => {
              giveUp = () => resolve('too_slow')
              arriving.then(resolve, reject)
            })
          } finally {
            stopWatch()
            giveUp = nothing // or the place would keep what has arrived
          }
        },
        release() {
          close()
          stopWatch()
        },
      }
      return place
    },
  }
}

const nothing = (): void => undefined
