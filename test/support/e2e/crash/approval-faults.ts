// Finds faults in approvals. Each step follows one that it may follow, and enough people decided before a request ran. Each
// record is about the refusal that asked. If everything needs approval, nothing ran without one.
import * as z from 'zod'
import { isAcceptanceOf, readAcceptance } from '../../../../src/evidence/records/accept-record.ts'
import { type Books, faultIf } from './books.ts'
import { contentsOf, decisionsIn, settlementsIn, type WrittenDecision } from './decisions.ts'
import type { Told } from './steps.ts'

const StepSchema = z.object({
  step: z.enum(['asked', 'decided', 'claimed', 'executed', 'returned', 'expired', 'withdrawn']),
  approval_id: z.string(),
  key_id: z.string().optional(),
  request_hash: z.string().optional(),
  subject_position: z.int().optional(),
  approvals_required: z.int().optional(),
  decision: z.enum(['approve', 'deny', 'escalate']).optional(),
  actor: z.string().optional(),
  acceptance: z.unknown().optional(),
  position: z.int().optional(),
})

type Step = z.infer<typeof StepSchema> & { at: number }
type State = 'pending' | 'approved' | 'claimed' | 'executed' | 'denied' | 'expired' | 'withdrawn'

/** In which states a step may be taken. */
const FROM: Readonly<Record<Step['step'], readonly State[]>> = {
  asked: [],
  decided: ['pending'],
  claimed: ['approved'],
  executed: ['claimed'],
  returned: ['claimed'],
  expired: ['pending', 'approved'],
  withdrawn: ['pending', 'approved'],
}

const ENDED: ReadonlySet<State> = new Set(['executed', 'denied', 'expired', 'withdrawn'])

type Life = { asked: Step; state: State; approvers: Set<string>; claims: number[]; faults: string[] }

/** Builds the life of each approval from the entries. Leaves out those whose first entries are gone. */
function livesIn(books: Books): Map<string, Life> {
  const lives = new Map<string, Life>()
  for (const { position: at, content } of contentsOf(books, 'approval', StepSchema)) {
    const step = { ...content, at }
    const life = lives.get(step.approval_id)
    if (step.step === 'asked') {
      const faults = faultIf(life !== undefined, `approval ${step.approval_id} is asked for twice`)
      lives.set(step.approval_id, { asked: step, state: 'pending', approvers: new Set(), claims: [], faults })
    } else if (life !== undefined) take(life, step)
  }
  return lives
}

function take(life: Life, step: Step): void {
  if (!FROM[step.step].includes(life.state)) life.faults.push(`entry ${step.at}: ${step.step} after ${life.state}`)
  life.state = stateAfter(life, step)
  if (step.step === 'claimed') life.claims.push(step.position ?? -1)
}

function stateAfter({ asked, state, approvers }: Life, { step, decision, actor = '' }: Step): State {
  switch (step) {
    case 'decided':
      if (decision === 'deny') return 'denied'
      if (decision === 'approve') approvers.add(actor)
      return approvers.size >= (asked.approvals_required ?? Infinity) ? 'approved' : state
    case 'returned':
      return 'approved'
    case 'asked':
      return 'pending'
    case 'claimed':
    case 'executed':
    case 'expired':
    case 'withdrawn':
      return step
  }
}

export function findApprovalFaults(books: Books): string[] {
  const lives = livesIn(books)
  const decisions = new Map(decisionsIn(books).map((decision) => [decision.position, decision]))
  const settled = new Set(settlementsIn(books).map(({ settles }) => settles))
  const ended = [...lives].flatMap(([id, { state }]) => (ENDED.has(state) ? [`${id} ${state}`] : []))
  const rows = books.endedApprovals.filter(({ id }) => lives.has(id)).map(({ id, state }) => `${id} ${state}`)
  return [
    ...[...lives.values()].flatMap(({ faults }) => faults),
    ...[...lives].flatMap(([id, life]) => findClaimFaults(id, life, decisions, settled)),
    ...findRecordFaults(books, lives, decisions),
    ...faultIf(ended.toSorted().join() !== rows.toSorted().join(), 'other approvals have ended than have a row'),
    ...findFreeFaults(books, lives, decisions),
  ]
}

/** A request runs with an approval of it, in the very turn, and the approval goes on once the request has ended. */
function findClaimFaults(
  id: string,
  { asked, state, claims }: Life,
  decisions: ReadonlyMap<number, WrittenDecision>,
  settled: ReadonlySet<number>,
): string[] {
  const last = claims.at(-1)
  return [
    ...claims.flatMap((position) => {
      const decision = decisions.get(position)
      const isIt =
        decision?.record.outcome === 'ALLOWED' &&
        decision.record.request_hash === asked.request_hash &&
        decision.facts.key_id === asked.key_id
      return faultIf(!isIt, `approval ${id} is used for what it is not of, at ${position}`)
    }),
    ...faultIf(
      state === 'claimed' && last !== undefined && settled.has(last),
      `approval ${id} is used by ${last}, which has ended`,
    ),
  ]
}

function findRecordFaults(
  books: Books,
  lives: ReadonlyMap<string, Life>,
  decisions: ReadonlyMap<number, WrittenDecision>,
): string[] {
  return contentsOf(books, 'approval', StepSchema)
    .filter(({ content }) => content.step === 'decided' && lives.has(content.approval_id))
    .flatMap(({ position, content }) => {
      const record = readAcceptance(content.acceptance)
      const subject = decisions.get(lives.get(content.approval_id)?.asked.subject_position ?? -1)?.record
      const isIts = record !== null && subject?.outcome === 'BLOCKED' && isAcceptanceOf(record, subject)
      return faultIf(!isIts, `the record of entry ${position} is not about the refusal that asked`)
    })
}

const PolicySchema = z.object({
  document: z.object({ human_approval: z.object({ when: z.array(z.record(z.string(), z.unknown())) }).optional() }),
})

/** Finds requests that ran without an approval while the policy in force required one for every request. */
function findFreeFaults(
  books: Books,
  lives: ReadonlyMap<string, Life>,
  decisions: ReadonlyMap<number, WrittenDecision>,
): string[] {
  const claimed = new Set([...lives.values()].flatMap(({ claims }) => claims))
  const policies = contentsOf(books, 'member_act', PolicySchema).map(({ position, content }) => {
    const { human_approval: rule } = content.document
    return { position, isOfAll: rule?.when.some((one) => Object.keys(one).length === 0) ?? false }
  })
  const isOfAll = (position: number): boolean =>
    policies.findLast((policy) => policy.position < position)?.isOfAll ?? false
  return [...decisions.values()]
    .filter(({ position, record }) => record.outcome === 'ALLOWED' && isOfAll(position) && !claimed.has(position))
    .map(({ position }) => `decision ${position} let a request run that nobody approved`)
}

/** Compares the object's approvals with the entries. Skipped if entries are gone, as those that asked may be among them. */
export function findHeldApprovalFaults(books: Books, { approvals }: Told): string[] {
  const open = [...livesIn(books)].flatMap(([id, { state }]) => (ENDED.has(state) ? [] : [`${id} ${state}`]))
  const held = approvals.map(({ id, state }) => `${id} ${state}`)
  const isOther = open.toSorted().join() !== held.toSorted().join()
  return faultIf(books.leftTo === 0 && isOther, `${held.length} approvals are held, and by the entries ${open.length}`)
}
