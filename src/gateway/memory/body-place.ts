// The place of a request's body in the isolate's memory: a small one needs none, a large one has to have arrived in time.
import type { Holding, MemoryPool } from './memory-pool.ts'

type Late = 'too_slow' | 'no_room'

/** How often a body that is arriving looks whether its room was given to others. */
const LOOK_MS = 50

/** The place of one body. */
export type BodyPlace = {
  /** Whether a body of so many bytes may be read on; asked again as it grows. After a no the place holds nothing. */
  readonly reserve: (bytes: number) => boolean
  /**
   * What is awaited; 'too_slow' where a large body takes longer than it may, 'no_room' where it was still arriving when others
   * needed its room.
   */
  readonly within: <T>(arriving: Promise<T>) => Promise<T | Late>
  /** Gives the room back, for good. */
  readonly release: () => void
}

/**
 * @param owner whose share it is of
 * @param onTaken called when the place first takes room, with what is fulfilled when it is given back
 */
export function openBodyPlace(
  { limits, now, after, enter }: MemoryPool,
  owner: string,
  onTaken: (released: Promise<void>) => void,
): BodyPlace {
  const released = Promise.withResolvers<void>()
  let holding: Holding | null = null
  /** Since when a large body has been on its way. */
  let largeSince: number | null = null
  let isArriving = false
  let hasGivenWay = false
  let isClosed = false
  let stopWatch = nothing
  let giveUp: (late: Late) => void = nothing

  const close = (): void => {
    isClosed = true
    holding?.leave()
    released.resolve()
  }

  function take(bytes: number): boolean {
    if (holding !== null) return holding.resize(bytes)
    holding = enter(owner, { bytes, answers: 0 })
    if (holding === null) return false
    holding.watch(
      { waitsSince: () => (isArriving ? largeSince : null), drop: () => void (hasGivenWay = true) },
      limits.slowMs,
    )
    onTaken(released.promise)
    return true
  }

  function watch(): void {
    largeSince = now()
    const endArrival = after(limits.arrivalMs, () => giveUp('too_slow'))
    let endLook = after(LOOK_MS, look)
    function look(): void {
      if (hasGivenWay) giveUp('no_room')
      else endLook = after(LOOK_MS, look)
    }
    stopWatch = () => {
      endArrival()
      endLook()
    }
  }

  return {
    reserve(bytes) {
      if (isClosed) return false
      if (bytes <= limits.largeBytes) return true
      if (largeSince === null) watch()
      const hasRoom = !hasGivenWay && take(bytes)
      if (!hasRoom) close()
      return hasRoom
    },
    async within<T>(arriving: Promise<T>) {
      isArriving = true
      try {
        const arrived = await new Promise<T | Late>((resolve, reject) => {
          giveUp = resolve
          arriving.then(resolve, reject)
        })
        return hasGivenWay ? 'no_room' : arrived
      } finally {
        isArriving = false
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
