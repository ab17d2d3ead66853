// Routes for an organisation's calls: the list with filters, as JSON or CSV, and one call with its record and proofs.
import { MANAGEMENT_SECURITY, SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import {
  type Access,
  type AccessControl,
  actorOf,
  assertNotLinkedTo,
  roleOrKeyOf,
} from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { may } from '../../accounts/access/roles.policy.ts'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { signRecord } from '../../evidence/records/attestation-record.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import {
  NO_TRAIL_FILTER,
  type TrailCall,
  type TrailPage,
  type TrailQuery,
} from '../../organisation/audit/audit-trail.ts'
import { reachOrganisation, repeatRead } from '../../organisation/organisation-client.ts'
import { CORRECT_COST } from '../../organisation/journal/state/cost-correction.schema.ts'
import type { CostCorrection } from '../../organisation/usage/correct-cost.ts'
import type { AppContext } from '../../platform/context.ts'
import { csv } from '../../platform/download.ts'
import { AppError } from '../../platform/errors.ts'
import { toEur, toMicroeur } from '../../platform/money.ts'
import { demoFileName, demoMark } from '../../platform/names.schema.ts'
import * as z from 'zod'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { dateOf, utcDay } from '../../platform/time.ts'
import { permissionForAllCalls, RECENT_CALLS, tiersWith } from '../../policies/tier.policy.ts'
import { EXPORT_ERRORS } from '../audit/audit-export.routes.ts'
import { SelectionLineSchema } from '../audit/audit-export.schema.ts'
import { presentCall } from '../audit/present-trail.ts'
import { MOST_SELECTED, startSelectionExport } from '../audit/selection-export.service.ts'
import type { LogExportDeps } from '../log-export.ts'
import { createReceiptsService } from '../receipts/receipts.service.ts'
import { loadReceipt } from '../receipts/receipts.routes.ts'
import { FILE_NAME_HEADER, sendExport } from '../send-export.ts'
import { readCallFilters } from './call-filters.ts'
import { readRecentCalls } from './recent-calls.ts'
import {
  CallRecordSchema,
  CallsQuerySchema,
  CallsSchema,
  CorrectCostSchema,
  CorrectedCostSchema,
  type Call,
  type CallsQuery,
} from './calls.schema.ts'

export function managedCallRoutes({ access, ...deps }: LogExportDeps & { access: AccessControl }): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Calls'] })
  const { open, signer, clock } = deps
  const service = createReceiptsService(deps)

  const pagesOf =
    ({ organisation }: Access) =>
    (query: TrailQuery): Promise<TrailPage> =>
      repeatRead(async (): Promise<TrailPage> => open(organisation).audit.readTrail(query))

  /** Tells whether the caller may list all calls. `refuse` throws why not. */
  async function reachOfList(c: AppContext, { manager, organisation }: Access) {
    const { tier } = await reachOrganisation(c, async () => open(organisation).settings.read(null))
    const permission = permissionForAllCalls(tier)
    const refuse = (what: string, param: string): never => {
      if (permission !== null) access.assertMay(manager, permission)
      throw notInTier(what, param, tier)
    }
    return { isWhole: permission !== null && may(roleOrKeyOf(manager), permission), refuse }
  }

  function recentQuery(limit: number): TrailQuery {
    const today = utcDay(clock())
    const days = { first: today - RECENT_CALLS.days + 1, last: today }
    return { days, filter: NO_TRAIL_FILTER, before: null, limit: Math.min(limit, RECENT_CALLS.most) }
  }

  async function permittedQuery(
    c: AppContext,
    who: Access,
    sent: CallsQuery,
  ): Promise<TrailQuery & { isWhole: boolean }> {
    const { isWhole, refuse } = await reachOfList(c, who)
    if (isWhole) return { ...readCallFilters(sent, clock()), isWhole }
    const { limit, format: _, ...filters } = sent
    const [filter] = Object.entries(filters).find(([, value]) => value !== undefined) ?? []
    if (filter !== undefined) refuse(`leave ${filter} out. Filters`, filter)
    return { ...recentQuery(limit), isWhole }
  }

  /** Whoever sees a list sees each call of it. */
  async function assertListed(c: AppContext, who: Access, id: string): Promise<void> {
    const { isWhole, refuse } = await reachOfList(c, who)
    if (isWhole) return
    const { calls } = await reachOrganisation(c, () => readRecentCalls(pagesOf(who), recentQuery(RECENT_CALLS.most)))
    if (!calls.some(({ record }) => record.attestation_id === id)) refuse('this id is none of them. All others', 'id')
  }

  openapi(
    {
      route: 'GET /api/calls',
      operationId: 'listCalls',
      summary: 'List calls',
      description:
        `Lists calls, the latest first, each with its signed record. From the tier Starter on all that are kept, with filters; in the tiers Healthcare and Enterprise for whoever may read the audit trail. For all others the last ${RECENT_CALLS.most} calls of the last ${RECENT_CALLS.days} days. ` +
        'Days are UTC and both included, the last 30 where none are named. ' +
        'A call that waited for a person is one call, with the record of its run once it ran. ' +
        'A page that reads the log takes a bounded look at it: it may be short, or empty, and say that there is more.',
      security: MANAGEMENT_SECURITY,
      permission: 'usage:read',
      query: CallsQuerySchema,
      answers: { 200: () => callsResponse() },
      errors: ['tier_required', 'origin_refused', 'conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const query = sent.query()
      if (query.format === 'evidence') access.assertMay(who.manager, 'audit:read')
      const { isWhole, ...wanted } = await permittedQuery(c, who, query)
      const { id: organisationId } = who.organisation
      if (query.format === 'evidence') {
        assertNotLinkedTo(c, who.manager, 'start an export')
        const name = demoFileName(
          organisationId,
          `countersign-selection-${dateOf(wanted.days.first)}-${dateOf(wanted.days.last)}`,
        )
        const most = isWhole ? MOST_SELECTED : RECENT_CALLS.most
        return sendExport(c, { organisationId, name, format: 'jsonl', clock }, async () => {
          const started = await reachOrganisation(c, () =>
            startSelectionExport(deps, c, who, { query: wanted, filter: filterAsSent(query), most }),
          )
          if (started.outcome !== 'begun') throw EXPORT_ERRORS[started.outcome]()
          return started.texts
        })
      }
      const readPage = pagesOf(who)
      if (query.format === 'csv') {
        assertNotLinkedTo(c, who.manager, 'save a list of calls')
        const name = demoFileName(
          organisationId,
          `countersign-calls-${dateOf(wanted.days.first)}-${dateOf(wanted.days.last)}`,
        )
        return sendExport(c, { organisationId, name, format: 'csv', clock }, async () =>
          isWhole ? csvOfCalls(readPage, wanted) : csvOfRecentCalls(readPage, wanted),
        )
      }
      const { calls, unreadable, next } = await reachOrganisation(c, () =>
        isWhole ? readPage(wanted) : readRecentCalls(readPage, wanted),
      )
      return c.json({
        object: 'list' as const,
        ...demoMark(organisationId),
        start: dateOf(wanted.days.first),
        end: dateOf(wanted.days.last),
        is_whole: isWhole,
        data: await Promise.all(calls.map((call) => presentListedCall(call, signer))),
        has_more: next !== null,
        next_cursor: isWhole && next !== null ? String(next) : null,
        unreadable_entries: unreadable,
      })
    },
  )

  openapi(
    {
      route: 'GET /api/calls/{id}',
      operationId: 'showCall',
      summary: 'Get a call',
      description:
        'Returns a call that the caller’s list has: its record and settlement, people’s decisions, and the proofs of all of them. `countersign-verify` checks the answer without this service. Once the details have expired, its leaf and the proofs of that are what is left. The settlement has the cost as it was settled; a corrected one is in the list of calls.',
      security: MANAGEMENT_SECURITY,
      permission: 'usage:read',
      params: callIdParams,
      answers: { 200: [CallRecordSchema, 'The call.'] },
      errors: ['tier_required'],
    },
    async ({ c, caller: who }) => {
      await assertListed(c, who, c.req.param('id') ?? '')
      return c.json(await loadReceipt(c, who, { service, object: 'call_record' }))
    },
  )

  openapi(
    {
      route: 'PUT /api/calls/{id}/cost',
      operationId: 'correctCallCost',
      summary: 'Correct a call’s cost',
      description:
        'Replaces the estimated cost of an interrupted call by what the provider charged. Budgets and counts follow. For owners, until the counts of the call’s UTC day are closed: a day after it has ended.',
      security: SESSION_SECURITY,
      permission: 'costs:correct',
      params: callIdParams,
      body: CorrectCostSchema,
      answers: { 200: [CorrectedCostSchema, 'The cost, and the one before.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const id = c.req.param('id') ?? ''
      const { cost_eur, reason } = await sent.body()
      const wanted = { attestationId: id, costMicroeur: toMicroeur(cost_eur), reason }
      const act = { actor: actorOf(who.manager), act: CORRECT_COST, requestId: c.get('requestId') }
      const corrected = await reachOrganisation(c, async (): Promise<CostCorrection> =>
        open(who.organisation).audit.correctCost(wanted, act),
      )
      if (corrected.outcome !== 'corrected') throw uncorrectedError(corrected.outcome)
      return c.json({
        id,
        object: 'corrected_cost' as const,
        created_at: new Date(corrected.at).toISOString(),
        cost_eur,
        earlier_cost_eur: toEur(corrected.beforeMicroeur),
        index: corrected.position,
      })
    },
  )

  return api
}

/** Returns the members that choose calls, without the days. */
function filterAsSent({ start: _start, end: _end, limit: _limit, format: _format, ...filter }: CallsQuery) {
  const sent = Object.entries(filter).filter((member): member is [string, string] => member[1] !== undefined)
  return Object.fromEntries(sent)
}

const callIdParams = () => ({ id: z.string().meta({ description: 'The attestation_id of the decision.' }) })

function uncorrectedError(outcome: Exclude<CostCorrection['outcome'], 'corrected'>): AppError {
  switch (outcome) {
    case 'not_found':
      return new AppError('not_found', 'The log has no call with this id. Check the id.')
    case 'not_interrupted':
      return new AppError(
        'conflict',
        'Only the cost of an interrupted call can be corrected. This one ended otherwise.',
      )
    case 'day_closed':
      return new AppError(
        'conflict',
        'The counts of that day are closed and signed. Note the difference in your own books.',
      )
  }
}

function callsResponse() {
  const json = managementJsonResponse(CallsSchema(), 'A page of calls.')
  return {
    ...json,
    content: {
      ...json.content,
      'text/csv': { schema: z.string() },
      'application/x-ndjson': { schema: SelectionLineSchema() },
    },
    headers: {
      ...json.headers,
      'content-disposition': { ...FILE_NAME_HEADER['content-disposition'], required: false },
    },
  }
}

async function presentListedCall(call: TrailCall, signer: Signer | null): Promise<Call> {
  const { attestation_id: id, trace_id, timestamp: created_at } = call.record
  const record = readReceiptEntry(call.decision.entry)
  const key = (record && (await signer?.keyNamed(record.public_key))) ?? null
  return {
    id,
    object: 'call',
    created_at,
    trace_id,
    ...presentCall(call),
    record: record && key && (await signRecord(record, key)),
  }
}

type Cell = string | number | boolean | null

/** The columns of the CSV: one value in each cell, and one row for each call. */
const COLUMNS: Readonly<Record<string, (call: ReturnType<typeof presentCall>, of: TrailCall['record']) => Cell>> = {
  created_at: (_, { timestamp }) => timestamp,
  outcome: ({ outcome }) => outcome,
  signed_outcome: ({ signed_outcome }) => signed_outcome,
  ending: ({ ending }) => ending,
  rule: ({ rule }) => rule,
  reason: ({ reason }) => reason,
  policy_version: ({ policy_version }) => policy_version,
  approval_id: ({ approval }) => approval && approval.id,
  approval_state: ({ approval }) => approval && approval.state,
  key_id: ({ key_id }) => key_id,
  model: ({ model }) => model,
  other_model: ({ other_model }) => other_model,
  served_model: ({ served_model }) => served_model,
  provider: ({ provider }) => provider,
  route: ({ route }) => route,
  data_region: ({ data_region }) => data_region,
  use_case: ({ use_case }) => use_case,
  cohort: ({ cohort }) => cohort,
  cost_eur: ({ cost_eur }) => cost_eur,
  cost_estimated: ({ cost_estimated }) => cost_estimated,
  cost_prevented_eur: ({ cost_prevented_eur }) => cost_prevented_eur,
  input_tokens: ({ input_tokens }) => input_tokens,
  cached_input_tokens: ({ cached_input_tokens }) => cached_input_tokens,
  output_tokens: ({ output_tokens }) => output_tokens,
  reasoning_tokens: ({ reasoning_tokens }) => reasoning_tokens,
  response_ms: ({ response_ms }) => response_ms,
  finish_reason: ({ finish_reason }) => finish_reason,
  error_cause: ({ error_cause }) => error_cause,
  answer_coverage: ({ answer_scan }) => answer_scan && answer_scan.coverage,
  answer_found: ({ answer_scan }) =>
    answer_scan &&
    Object.entries(answer_scan.found)
      .map((of) => of.join(':'))
      .join(' '),
  answer_redacted: ({ answer_scan }) => answer_scan && answer_scan.redacted,
  answer_stopped: ({ answer_scan }) => answer_scan && answer_scan.stopped.join(' '),
  answer_unread: ({ answer_scan }) => answer_scan && answer_scan.unread.join(' '),
  trace_id: (_, { trace_id }) => trace_id,
  attestation_id: (_, { attestation_id }) => attestation_id,
  request_id: ({ request_id }) => request_id,
  request_hash: ({ request_hash }) => request_hash,
  index: ({ index }) => index,
  leaf_hash: ({ leaf_hash }) => leaf_hash,
  settlement_index: ({ settlement_index }) => settlement_index,
  cost_correction_index: ({ cost_correction_index }) => cost_correction_index,
}

const CSV_PAGE = 200

type ReadPage = (query: TrailQuery) => Promise<TrailPage>

async function* csvOfCalls(readPage: ReadPage, query: TrailQuery): AsyncGenerator<string> {
  yield csv([Object.keys(COLUMNS)])
  for (let before = query.before; ;) {
    const page = await readPage({ ...query, before, limit: CSV_PAGE })
    yield csv(page.calls.map(cellsOf))
    if (page.next === null) return
    before = page.next
  }
}

async function* csvOfRecentCalls(readPage: ReadPage, query: TrailQuery): AsyncGenerator<string> {
  const { calls } = await readRecentCalls(readPage, query)
  yield csv([Object.keys(COLUMNS), ...calls.map(cellsOf)])
}

function cellsOf(call: TrailCall): string[] {
  const shown = presentCall(call)
  return Object.values(COLUMNS).map((cell) => String(cell(shown, call.record) ?? ''))
}

const notInTier = (what: string, param: string, tier: string): AppError =>
  new AppError(
    'tier_required',
    `Your tier, ${tier}, lists the last ${RECENT_CALLS.most} calls of ${RECENT_CALLS.days} days: ${what} come with ${tiersWith('all_calls').join(', ')}.`,
    { param },
  )
