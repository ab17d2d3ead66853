// A repeated call whose first answer was kept: it gets that answer, byte for byte.
import type { KeptPlace } from '../../organisation/admit/repeated-chat.ts'
import type { AppContext } from '../../platform/context.ts'
import { REPLAYED } from '../call/call-headers.ts'
import { noRoomForAnswer } from '../call/call-refusals.ts'
import { sendBody } from '../call/send-body.ts'
import type { AnswerPlace } from '../memory/answer-place.ts'
import type { Outlet } from '../stream/outlet.ts'
import type { KeptAnswersStore } from './kept-answers.store.ts'
import { answerNotKept, answerNotRead } from './repeat-refusals.ts'

type Again = { place: AnswerPlace; store: Pick<KeptAnswersStore, 'find'>; openOutlet: () => Outlet }

/** Throws where it is not there, or cannot be read. Releases the place in every case. */
export async function answerAgain(
  c: AppContext,
  kept: KeptPlace,
  { place, store, openOutlet }: Again,
): Promise<Response> {
  const found = await c.get('timings').measure('storage', () => store.find(kept, place.grow))
  if (found.outcome !== 'found') {
    place.release()
    throw { gone: answerNotKept, failed: answerNotRead, no_room: noRoomForAnswer }[found.outcome]()
  }
  const { status, headers, body } = found.answer
  c.get('logged').outcome = 'replayed'
  const answered = new Headers({ ...headers, [REPLAYED]: 'true' })
  for (const [name, value] of answered) c.header(name, value)
  const sent = sendBody(c, body, { place, openOutlet })
  return status === sent.status ? sent : new Response(sent.body, { status, headers: sent.headers })
}
