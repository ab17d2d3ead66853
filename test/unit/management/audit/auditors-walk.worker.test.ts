// An auditor's walk: from a file that was exported, and checked without asking anybody, to one call in it: its record, its proof, who
// approved it, what it cost, and the day's total that has it. All figures are worked out again from the lines of the file.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkBundle } from '../../../../src/evidence/verify/check-call-evidence.ts'
import { openExport } from '../../../../src/evidence/verify/check-export.ts'
import type { Finding } from '../../../../src/evidence/verify/verification-finding.ts'
import { findAcceptFault, isAcceptanceOf } from '../../../../src/evidence/records/accept-record.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { traceIdOf } from '../../../../src/evidence/records/attestation-record.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import { withKey } from '../../../support/unit/service.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, idOf, noon, positionOf, type ChatKey, type FactsChange } from '../../organisation/chat-organisation.ts'
import { manage, type Managed } from '../managed.ts'
import { AUDIT_LOGS, readExport, type Line } from './exported-audit.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Told = Line & { kind: string; content: JsonObject & Record<string, unknown>; facts: JsonObject | null }

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Offline: the lines of the file and a key that the auditor has from elsewhere are all there is. */
function check(text: string, pinned: string): Finding[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => new TextEncoder().encode(line))
  const checking = openExport(lines[0] ?? new Uint8Array(), { ...NO_OPTIONS, trust: { keys: [pinned] } })
  return checking === null ? [] : [...lines.flatMap((line) => checking.take(line)), ...checking.end()]
}

/** The key as the Worker chooses it. */
const facts = (publicKey: string, more: FactsChange = {}): FactsChange => ({
  publicKey,
  useCase: 'triage',
  ...more,
})

/** A call that an owner approves. */
async function approvedCall({ organisation, signIn }: Managed, key: ChatKey, publicKey: string) {
  const owner = await signIn('owner')
  await owner.ask('PUT', '/api/policies', { human_approval: { when: [{}] } })
  const request = { requestHash: hashOf('the request') }
  const approval: ApprovalId = approvalOf(await organisation.admit(key, facts(publicKey, request)))
  const decided = await owner.ask('POST', `/api/approvals/${approval}/decision`, { decision: 'approve' })
  expect(decided.status).toBe(200)
  const called = facts(publicKey, { ...request, approval })
  const admission = await organisation.admit(key, called)
  await organisation.settle(positionOf(admission), 4_200)
  return { owner, approval, traceId: traceIdOf(idOf(admission)), attestationId: idOf(admission) }
}

it('leads from the file to a call, its record, its proof, its approval, its cost and its day', async () => {
  const managed = await manage({ tier: 'healthcare' })
  const { organisation } = managed
  const published = await organisation.service.fetch('/v1/attestation/public-key')
  const { public_key: pinned } = await published.json<{ public_key: string }>()
  const issued = await organisation.service.createKey({ prefix: 'aqta_' }, organisation.id)
  const key = await organisation.issueKey()
  for (let n = 1; n <= 3; n += 1) {
    await organisation.settle(positionOf(await organisation.admit(key, facts(pinned))), 1_000 * n)
  }
  const { owner, approval, traceId, attestationId } = await approvedCall(managed, key, pinned)
  vi.setSystemTime(noon + 2 * DAY_MS)
  for (let n = 0; n < 20 && (await organisation.runAlarm()); n += 1) continue

  const auditor = await managed.signIn('auditor')
  const response = await auditor.ask('GET', `${AUDIT_LOGS}?start=${dateOf(noon)}&end=${dateOf(noon + 2 * DAY_MS)}`)
  const text = await response.text()
  const findings = check(text, pinned)
  expect(findings.map(({ kind, valid }) => [kind, valid])).toEqual([
    ['head', true],
    ['keys', true],
    ['anchor', true],
    // Nothing was built here, so decisions do not say which software made them.
    ['coverage', true],
    ['export', true],
  ])
  expect(check(text.replace('"cost_microeur":4200', '"cost_microeur":4201'), pinned).at(-1)?.valid).toBe(false)
  const lines = readExport(text).lines as Told[]
  const of = (kind: string): Told[] => lines.filter((line) => line.kind === kind)

  // The call, by the id that its caller has.
  const call = of('chat_decision').find(({ content }) => content['trace_id'] === traceId)
  if (call === undefined) throw new Error('the call is not in the file')
  const record = { ...call.content, signature: call['signature'] }
  expect(call.content).toMatchObject({ attestation_id: attestationId, outcome: 'ALLOWED', org_id: organisation.id })
  expect(call.facts).toMatchObject({ use_case: 'triage' })
  expect(verifyRecord(record, { keys: [pinned] })).toEqual({ valid: true, keySource: 'pinned' })

  // Its proof by itself, which the service gives, is of the very leaf that the file has.
  const asked = await organisation.service.fetch(`/v1/attestations/${attestationId}?bundle=true`, withKey(issued.key))
  const bundle = await asked.json<{ organisation_log: { proof: object } } & JsonObject>()
  const options = { ...NO_OPTIONS, trust: { keys: [pinned] } }
  expect(checkBundle(bundle, options).filter(({ valid }) => !valid)).toEqual([])
  expect(bundle.organisation_log.proof).toMatchObject({ leaf_index: call.index, leaf_hash: call.leaf_hash })

  // Checks who approved it: the steps name one approval, which this decision has claimed and an owner gave.
  const steps = of('approval').filter(({ content }) => content['approval_id'] === approval)
  expect(steps.map(({ content }) => content['step'])).toEqual(['asked', 'decided', 'claimed', 'executed'])
  expect(steps[1]?.content).toMatchObject({ decision: 'approve', actor: owner.id, approver_acr: 'aal1' })
  expect(steps[2]?.content).toMatchObject({ position: call.index })
  const refusal = of('chat_decision').find(({ index }) => index === steps[0]?.content['subject_position'])
  const shown = await auditor.ask('GET', `/api/approvals/${approval}`)
  const { decisions } = await shown.json<{ decisions: { acceptance: JsonObject }[] }>()
  const acceptances = decisions.map(({ acceptance }) => acceptance)
  expect(acceptances.map((one) => findAcceptFault(one, { keys: [pinned] }))).toEqual([null])
  expect(
    acceptances.map((one) => isAcceptanceOf(one, { ...refusal?.content, signature: refusal?.['signature'] })),
  ).toEqual([true])
  const acceptance = steps[1]?.content['acceptance'] as JsonObject
  expect({ ...acceptance, signature: steps[1]?.['signature'] }).toEqual(acceptances[0])
  expect(steps.filter((step) => 'signature' in step)).toHaveLength(1)

  // Checks what it cost.
  const settlement = of('settlement').find(({ content }) => content['settles'] === call.index)
  expect(settlement?.content).toMatchObject({ ended: 'completed', cost_microeur: 4_200 })

  // The total of its day, by arithmetic over the lines.
  const ofDay = of('chat_decision').filter(({ content }) => String(content['timestamp']).startsWith(dateOf(noon)))
  const positions = new Set<unknown>(ofDay.map(({ index }) => index))
  const costs = of('settlement').flatMap(({ content }) =>
    positions.has(content['settles']) ? [Number(content['cost_microeur'])] : [],
  )
  const closed = of('usage_closed').find(({ content }) => content['day'] === dateOf(noon))
  // A refusal whose approval a later call ran with is that call's, and is counted with it.
  const allowed = ofDay.filter(({ content }) => content['outcome'] === 'ALLOWED')
  const approvalsRun = new Set<unknown>(allowed.map((line) => line.facts?.['approval_id']))
  const further = ofDay.filter(
    ({ content, facts: beside }) => content['outcome'] === 'BLOCKED' && approvalsRun.has(beside?.['approval_id']),
  )
  expect(closed?.content).toMatchObject({
    requests: ofDay.length - further.length,
    further_records: further.length,
    cost_microeur: costs.reduce((sum, cost) => sum + cost, 0),
  })
  expect([ofDay.length, closed?.content['requests'], closed?.content['cost_microeur']]).toEqual([5, 4, 10_200])
  expect(Number(closed?.content['first'])).toBeLessThanOrEqual(call.index)
  expect(Number(closed?.content['last'])).toBeGreaterThanOrEqual(call.index)
})
