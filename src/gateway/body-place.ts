// The place of a request's body in the isolate's memory: a small one needs none, a large one has to have arrived in time.
import type { Holding, MemoryRoom } from './memory-room.ts'

/** The place of one body. */
export type BodyPlace = {
  /** Whether a body of so many bytes may be read on; asked again as it grows. After a no the place holds nothing. */
  readonly reserve: (bytes: number) => boolean
  /** What is awaited, or 'too_slow' where a large body takes longer than it may. */
  readonly within: <T>(arriving: Promise<T>) => Promise<T | 'too_slow'>
  /** Gives the room back, for good. */
  readonly release: () => void
}

/**
 * @param owner whose share it is of
 * @param onTaken called when the place first takes room, with what is fulfilled when it is given back
 */
export function openBodyPlace(
  { limits, after, enter }: MemoryRoom,
  owner: string,
  onTaken: (released: Promise<void>) => void,
): BodyPlace {
  const released = Promise.withResolvers<void>()
  let holding: Holding | null = null
  let isWatched = false
  let isClosed = false
  let stopWatch = nothing
  let giveUp = nothing

  const close = (): void => {
    isClosed = true
    holding?.leave()
    released.resolve()
  }

  function take(bytes: number): boolean {
    if (holding !== null) return holding.resize(bytes)
    holding = enter(owner, { bytes, answers: 0 })
    if (holding !== null) onTaken(released.promise)
    return holding !== null
  }

  return {
    reserve(bytes) {
      if (isClosed) return false
      if (bytes <= limits.largeBytes) return true
      if (!isWatched) stopWatch = after(limits.arrivalMs, () => giveUp())
      isWatched = true
      const hasRoom = take(bytes)
      if (!hasRoom) close()
      return hasRoom
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
}

const nothing = (): void => undefined
