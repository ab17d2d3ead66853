// What the trail tells of one call, also where the list beside it has not come to it: a link is followed long after it was made.
import type { List } from '../../../platform/list.schema.ts'
import type { Answer } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { callIn } from '../call-in.ts'
import type { TrailEntry } from './trail-entry.ts'

/** As long as any tier keeps what a call is told by. */
const LONGEST_DAYS = 7 * 365
const DAY_MS = 86_400_000

const POSITION = /^(?:0|[1-9]\d{0,13})$/

/** @param leaf where it stands in the log, as the address says @param listed what the list has of it; null: nothing yet */
export function useEntry(
  session: Session,
  { id, leaf, listed }: { id: string; leaf: string; listed: TrailEntry | null },
): Loaded<TrailEntry | null> {
  const isAsked = listed === null && POSITION.test(leaf)
  const [loaded] = useAnswer<TrailEntry | null>(
    (signal) => (isAsked ? entryAt(session, { id, leaf }, signal) : Promise.resolve(NOTHING)),
    [session, id, leaf, isAsked],
  )
  return listed === null ? loaded : { state: 'answered', body: listed }
}

const NOTHING: Answer<TrailEntry | null> = { outcome: 'answered', body: null, headers: new Headers() }

async function entryAt(
  session: Session,
  { id, leaf }: { id: string; leaf: string },
  signal: AbortSignal,
): Promise<Answer<TrailEntry | null>> {
  const start = new Date(Date.now() - LONGEST_DAYS * DAY_MS).toISOString().slice(0, 10)
  const query = { start, cursor: Number(leaf) + 1, limit: 1 }
  const answer = await callIn<List<TrailEntry>>(session, 'GET', '/api/compliance/audit-trail', { query, signal })
  if (answer.outcome === 'refused') return answer
  return { ...answer, body: answer.body.data.find(({ attestation_id }) => attestation_id === id) ?? null }
}
