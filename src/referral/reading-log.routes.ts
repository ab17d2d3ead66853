// GET /v1/referral/log/{position}: proves that an entry is in the organisation's log. It shows only hashes: the caller has the entry,
// which came with the reading.
import * as z from 'zod'
import { LogEntryProofSchema, type LogEntryProof } from '../evidence/bundles/log-proofs.schema.ts'
import type { Signer } from '../evidence/records/configured-keys.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { ReferralGate } from '../organisation/admit/referral-gate.ts'
import type { RequireKey } from '../organisation/admit/require-key.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import type { Clock } from '../platform/time.ts'
import { presentInclusion, signTreeHead, treeOf } from '../public-log/present-proofs.ts'
import { readTreeSize, wrongSize } from '../public-log/public-log.service.ts'

type Deps = { gate: ReferralGate; peppers: readonly Pepper[]; signer: Signer | null; clock: Clock }

export function readingLogRoutes(deps: Deps, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'GET /v1/referral/log/{position}',
      operationId: 'proveReading',
      tags: ['Referral'],
      summary: 'Prove a reading’s entry',
      description:
        'Proves that the entry at `record.ledger.position` is in the organisation’s log, under a signed head. It holds hashes only, so it ' +
        'works also after the entry has expired. Keep the head: with its `tree_size`, a later proof shows that the log still has the entry.',
      security: [{ referralKey: [] }],
      params: () => ({ position: z.int().min(0) }),
      query: () =>
        z.object({
          tree_size: z.int().min(1).optional().meta({ description: 'Of the head that you kept; else the newest.' }),
        }),
      answers: { 200: [LogEntryProofSchema, 'The proof, and the signed head of its tree.'] },
      errors: ['not_found', 'scope_required', 'organisation_closing', 'service_unavailable'],
    },
    async ({ c }) => {
      const proof = await proveEntry(c, deps)
      c.header('cache-control', 'no-store')
      return c.json(proof)
    },
  )
  return api
}

async function proveEntry(c: AppContext, { gate, peppers, signer, clock }: Deps): Promise<LogEntryProof> {
  const key = readBearerKey(c, 'referral', peppers)
  const position = readPosition(c.req.param('position') ?? '')
  const wanted = c.req.query('tree_size')
  const size = wanted === undefined ? null : readTreeSize(wanted)
  const reply = await gate.readLog(c, key, async (object, caller) => object.log.proveEntry(caller, position, size))
  if (reply.outcome !== 'admitted') throw refusalError(reply, 'referral')
  const { answer } = reply
  if (answer.outcome === 'not_found') throw notInLog()
  if (answer.outcome === 'wrong_size') throw wrongSize('tree_size')
  const orgId = key.organisationId
  const head = await signTreeHead(signer, { orgId, ...treeOf(answer) }, clock())
  return { head, proof: presentInclusion(orgId, answer) }
}

/** Returns -1 for what is no position. */
const readPosition = (text: string): number => (/^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1)

const notInLog = (): AppError =>
  new AppError('not_found', 'Your organisation’s log has no entry at this position. Send record.ledger.position.')
