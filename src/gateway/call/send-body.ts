// Sends a body that is there as a whole.
import type { AppContext } from '../../platform/context.ts'
import type { AnswerPlace } from '../memory/answer-place.ts'
import { HANDED_BYTES, type Outlet } from '../stream/outlet.ts'

/** What a connection takes in whether or not it is read needs no watching. */
export function sendBody(
  c: AppContext,
  body: string | Uint8Array<ArrayBuffer>,
  { place, openOutlet }: { place: AnswerPlace; openOutlet: () => Outlet },
): Response {
  if (body.length <= HANDED_BYTES) {
    place.release()
    return c.body(body)
  }
  const outlet = openOutlet()
  outlet.close(piecesOf(typeof body === 'string' ? new TextEncoder().encode(body) : body))
  return c.body(outlet.body)
}

/** Copies, since a part of a buffer keeps all of it. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += HANDED_BYTES) yield bytes.slice(at, at + HANDED_BYTES)
}
