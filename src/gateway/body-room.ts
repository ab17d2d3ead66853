// How many bytes of large request bodies an isolate holds at once. The platform gives an isolate 128 MiB for
// everything, and can end all of its calls where that is passed: so the one too many is refused. Small bodies need no room.

const MIB = 1024 * 1024

export type RoomLimits = {
  /** Of all large bodies together. */
  readonly totalBytes: number
  /** A body of more is a large one. */
  readonly largeBytes: number
  /** By when a large body has to have arrived, with or without room: counted from when room is first asked for. */
  readonly arrivalMs: number
  /** After which room counts as free again: the runtime can end a call by force, and then nothing gives it back. */
  readonly leaseMs: number
}

/** The lease is longer than a call to a provider may last. */
export const ROOM_LIMITS: RoomLimits = {
  totalBytes: 32 * MIB,
  largeBytes: MIB / 4,
  arrivalMs: 30_000,
  leaseMs: 15 * 60_000,
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
  /** @param onTaken called when the place first takes room, with what is fulfilled when it is given back */
  open(onTaken: (released: Promise<void>) => void): Place
}

export function createBodyRoom({ now, after, limits = ROOM_LIMITS }: Outside): BodyRoom {
  const taken = new Map<Place, { bytes: number; until: number }>()

  function free(): number {
    let bytes = limits.totalBytes
    for (const [place, held] of taken) {
      if (held.until <= now()) taken.delete(place)
      else bytes -= held.bytes
    }
    return bytes
  }

  return {
    open(onTaken) {
      const released = Promise.withResolvers<void>()
      let isClosed = false
      let stopWatch = nothing
      let giveUp = nothing

      const close = (): void => {
        isClosed = true
        taken.delete(place)
        released.resolve()
      }

      const place: Place = {
        reserve(bytes) {
          if (isClosed) return false
          if (bytes <= limits.largeBytes) return true
          const held = taken.get(place)
          if (held === undefined) stopWatch = after(limits.arrivalMs, () => giveUp())
          if (bytes - (held?.bytes ?? 0) > free()) {
            close()
            return false
          }
          taken.set(place, { bytes, until: held?.until ?? now() + limits.leaseMs })
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
