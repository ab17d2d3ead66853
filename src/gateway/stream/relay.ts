// Carries a provider's stream to the caller, event by event, and ends it: well, with an error, or broken off. Runs to
// its end whether or not anybody listens, because what was produced must be settled.
import type { Batches } from '../../providers/client.ts'
import { upstreamFailure, type Failure } from '../../providers/failure.ts'
import type { AnswerPlace } from '../memory/answer-place.ts'
import type { EventWriter } from './event-writer.ts'
import type { Outlet } from './outlet.ts'
import type { ProducedSoFar } from './produced-so-far.ts'

/**
 * Why the stream is not whole, or null. Leaving early cancels the provider.
 *
 * @param to.whenComplete the last events of an answer that is complete before its end has come; asked once
 */
export async function relay(
  batches: Batches,
  to: {
    writer: Pick<EventWriter, 'push' | 'isComplete' | 'heldBytes'>
    outlet: Pick<Outlet, 'send' | 'hasRoom'>
    soFar: ProducedSoFar
    keep: AnswerPlace['keep']
    whenComplete: () => Uint8Array[]
  },
): Promise<Failure | null> {
  const { writer, outlet, soFar, keep, whenComplete } = to
  let isComplete = false
  for await (const batch of batches) {
    for (const item of batch) {
      soFar.add(item)
      outlet.send(writer.push(item))
      if (item.textBytes !== undefined) continue
      const last = item.events.at(-1)
      if (last?.type === 'end') return null
      if (last?.type === 'failed') return last.failure
      if (isComplete || !writer.isComplete()) continue
      isComplete = true
      outlet.send(whenComplete())
    }
    const mayKeep = keep(writer.heldBytes())
    if (!(typeof mayKeep === 'boolean' ? mayKeep : await mayKeep)) return upstreamFailure('no_room')
    const hasRoom = outlet.hasRoom()
    if (!(typeof hasRoom === 'boolean' ? hasRoom : await hasRoom)) return upstreamFailure('caller')
  }
  return upstreamFailure('cut')
}
