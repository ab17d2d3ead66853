// Reads a request's body and counts it against the memory that all calls of the isolate share. A small body is not counted; a
// large one must arrive in time.
import { isDeclaredOver, discardBody, readWithReservedMemory } from '../../platform/request-body.ts'
import type { AppError } from '../../platform/errors.ts'
import { MAX_CALL_BODY_BYTES } from '../../policies/organisation-limits.policy.ts'
import { callError } from '../call/call-errors.ts'
import type { ReservedMemory, MemoryPool } from './memory-pool.ts'

type ArrivalFault = 'too_slow' | 'no_room'

/** How often a body that is arriving checks whether its memory was given to others. */
const POLL_MS = 50

export type BodyMemory = {
  /** Returns whether a body of so many bytes may be read on; called again as it grows. After false it holds no memory. */
  readonly reserve: (bytes: number) => boolean
  /**
   * Waits for the body. 'too_slow': a large body takes longer than allowed. 'no_room': others needed its memory while it was
   * still arriving.
   */
  readonly waitFor: <T>(arriving: Promise<T>) => Promise<T | ArrivalFault>
  readonly release: () => void
}

/**
 * Opens the memory of one body.
 * @param owner the organisation whose share it uses
 * @param onTaken called when memory is first taken, with a promise that resolves when it is released
 */
export function openBodyMemory(
  { limits, now, after, enter }: MemoryPool,
  owner: string,
  onTaken: (released: Promise<void>) => void,
): BodyMemory {
  const released = Promise.withResolvers<void>()
  let holding: ReservedMemory | null = null
  let largeSince: number | null = null
  let isArriving = false
  let hasGivenWay = false
  let isClosed = false
  let stopWatch = doNothing
  let giveUp: (late: ArrivalFault) => void = doNothing

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
    async waitFor<T>(arriving: Promise<T>) {
      isArriving = true
      try {
        const arrived = await new Promise<T | ArrivalFault>((resolve, reject) => {
          giveUp = resolve
          arriving.then(resolve, reject)
        })
        return hasGivenWay ? 'no_room' : arrived
      } finally {
        isArriving = false
        stopWatch()
        giveUp = doNothing // otherwise it would hold the arrived body in memory
      }
    },
    release() {
      close()
      stopWatch()
    },
  }
}

const doNothing = (): void => undefined

const BODY_ERROR_CODES = {
  too_large: 'body_too_large',
  no_room: 'no_room_for_body',
  too_slow: 'body_too_slow',
} as const

/** Throws the error for a body that cannot be read. */
export async function readCallBody(request: Request, memory: BodyMemory): Promise<Uint8Array> {
  const read = await memory.waitFor(readWithReservedMemory(request, MAX_CALL_BODY_BYTES, memory.reserve))
  if (read instanceof Uint8Array) return read
  throw callError(BODY_ERROR_CODES[read])
}

/** Returns the error for a refused call, and leaves its body unread. A body declared too large outranks a limit, but no bad key. */
export async function refuseUnread(request: Request, refusal: AppError): Promise<AppError> {
  await discardBody(request)
  const isLimit = refusal.code !== 'invalid_api_key'
  return isLimit && isDeclaredOver(request, MAX_CALL_BODY_BYTES) ? callError(BODY_ERROR_CODES.too_large) : refusal
}
