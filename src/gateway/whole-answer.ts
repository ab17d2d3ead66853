// A chat call answered in one piece.
import type { AppContext } from '../platform/context.ts'
import type { Completion } from '../providers/client.ts'
import { describeCall, type AdmittedCall } from './admitted-call.ts'
import { NOTHING_PRODUCED, producedBy } from './bill.ts'
import { upstreamError, wasReached } from './chat-refusals.ts'
import { presentCompletion } from './completion.ts'
import { settleWhenEnded, type ProviderDeps } from './provider-call.ts'
import { concludeCall, tellOf, type Ending } from './settlement.ts'

export async function answerWhole(
  c: AppContext,
  call: AdmittedCall,
  asked: Promise<Completion>,
  deps: ProviderDeps,
): Promise<Response> {
  const ending = asked.then((completion) => conclude(call, completion))
  settleWhenEnded(c, call, ending, deps)
  const completion = await c.get('timings').measure('upstream', () => asked)
  const { bill, failure } = await ending
  const aqta = describeCall(call, bill, wasReached(failure))
  if (!completion.ok) throw upstreamError(completion.failure, aqta)
  c.header('cache-control', 'no-store')
  return c.json(presentCompletion(call, completion, { bill, aqta }))
}

function conclude(call: AdmittedCall, completion: Completion): Ending {
  const produced = completion.ok ? producedBy(completion.answer) : NOTHING_PRODUCED
  return concludeCall(call, produced, tellOf(completion))
}
