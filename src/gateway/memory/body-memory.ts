// Reads a request's body and counts its share of the isolate's memory. A small body needs no share; a large one must arrive in
// time.
import { isDeclaredOver, discardBody, readWithRoom } from '../../platform/body.ts'
import { AppError } from '../../platform/errors.ts'
import { callError } from '../call/errors.ts'
import type { Holding, MemoryPool } from './memory-pool.ts'

type Late = 'too_slow' | 'no_room'

/** How often a body that is arriving checks whether its memory was given to others. */
const POLL_MS = 50

/** The memory of one body. */
export type BodyMemory = {
  /** Returns whether a body of so many bytes may be read on; called again as it grows. After false it holds no memory. */
  readonly reserve: (bytes: number) => boolean
  /**
   * Waits for the body. 'too_slow': a large body takes longer than allowed. 'no_room': others needed its memory while it was
   * still arriving.
   */
  readonly within: <T>(arriving: Promise<T>) => Promise<T | Late>
  /** Releases the memory for good. */
  readonly release: () => void
}

/**
 * @param owner the organisation whose share it uses
 * @param onTaken called when memory is first taken, with a promise that resolves when it is released
 */
export function openBodyMemory(
  { limits, now, after, enter }: MemoryPool,
  owner: string,
  onTaken: (released: Promise<void>) => void,
): BodyMemory {
  const released = Promise.withResolvers<void>()
  let holding: Holding | null = null
  /** Since when a large body has been arriving. */
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
    let endLook = after(POLL_MS, look)
    function look(): void {
      if (hasGivenWay) giveUp('no_room')
      else endLook = after(POLL_MS, look)
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
        giveUp = nothing // otherwise it would hold the arrived body in memory
      }
    },
    release() {
      close()
      stopWatch()
    },
  }
}

const nothing = (): void => undefined

const MAX_BODY_BYTES = 4 * 1024 * 1024

const UNREAD = { too_large: 'body_too_large', no_room: 'no_room_for_body', too_slow: 'body_too_slow' } as const

export async function readCallBody(request: Request, memory: BodyMemory): Promise<Uint8Array | AppError> {
  try {
    const read = await memory.within(readWithRoom(request, MAX_BODY_BYTES, memory.reserve))
    return read instanceof Uint8Array ? read : callError(UNREAD[read])
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown
    throw thrown
  }
}

/** Returns the error for a refused call and leaves its body unread. Only the size of the body can outrank a limit. */
export async function refuseUnread(request: Request, refusal: AppError): Promise<AppError> {
  await discardBody(request)
  const isLimit = refusal.code !== 'invalid_api_key'
  return isLimit && isDeclaredOver(request, MAX_BODY_BYTES) ? callError(UNREAD.too_large) : refusal
}
