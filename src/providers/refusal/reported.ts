// A failure that a provider reports inside a 200, once it has begun to answer. Of what it says, one thing is of use to the
// caller: that it was the provider's own rules on content which stopped it, so that to ask again does not help.
import { upstreamFailure, type UpstreamFailure } from '../failure.ts'
import type { Origin } from './member.ts'
import type { ReadRefusal } from './refusal.ts'

/** What was asked is not looked at again: no member is named. */
const NOWHERE: Origin = { messages: 0, tools: 0, turnsAfter: null }

export function reportedFailure(body: unknown, readRefusal: ReadRefusal): UpstreamFailure {
  const hint = readRefusal(body, NOWHERE)
  const isContent = hint !== 'access' && hint.reason === 'content'
  return upstreamFailure('error_event', isContent ? { refusal: { reason: 'content', member: null } } : {})
}
