// The body of a chat request, read where there is room for it, or why it is not read.
import { isDeclaredOver, leaveUnread, readWithRoom } from '../../platform/body.ts'
import { AppError } from '../../platform/errors.ts'
import type { BodyPlace } from './body-place.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const RETRY_AFTER_SECONDS = 5 // about as long as an answer takes

export async function readCallBody(request: Request, place: BodyPlace): Promise<Uint8Array | AppError> {
  try {
    const read = await place.within(readWithRoom(request, MAX_BODY_BYTES, place.reserve))
    return read instanceof Uint8Array ? read : UNREAD[read]()
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown
    throw thrown
  }
}

/** What a call that is refused anyway is answered with, its body unread: of that, only its size could outrank a limit. */
export async function leaveCallBody(request: Request, refusal: AppError): Promise<AppError> {
  await leaveUnread(request)
  const isLimit = refusal.code !== 'invalid_api_key'
  return isLimit && isDeclaredOver(request, MAX_BODY_BYTES) ? UNREAD.too_large() : refusal
}

const UNREAD = {
  too_large: () => new AppError('payload_too_large', 'The body is over 4 MiB. Send fewer or smaller images.'),
  no_room: () =>
    new AppError(
      'service_unavailable',
      'Too many large requests are being answered at this moment. Try again in a few seconds, or send smaller images.',
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    ),
  too_slow: () =>
    new AppError(
      'invalid_request',
      'The body took too long to arrive. Send smaller images, or use a faster connection.',
    ),
}
