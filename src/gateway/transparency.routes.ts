// The routes of an organisation's own transparency log: its signed head, inclusion proofs and consistency proofs. The
// organisation's object makes the proofs, and the Worker signs the head. Two heads of the same size always have the same root.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import {
  ComparedSizesSchema,
  ProvenSizeSchema,
  consistencyMembers,
  InclusionProofSchema,
  organisationMembers,
  TreeHeadSchema,
  type InclusionProof,
  type TreeHead,
} from '../evidence/bundles/log-proofs.schema.ts'
import type { Signer } from '../evidence/records/configured-keys.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { ChatGate, LogQuestion } from '../organisation/admit/chat-gate.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import type { ProofSize } from '../organisation/journal/log-reader.ts'
import type { Clock } from '../platform/time.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import { presentRecordProof, signTreeHead } from '../public-log/present-proofs.ts'
import { readTreeSize, wrongSize, wrongSizes } from '../public-log/public-log.service.ts'
import type { RequireKey } from '../organisation/admit/require-key.ts'

export function transparencyRoutes(service: TransparencyService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey, {
    tags: ['Transparency'],
    security: [{ gatewayKey: [] }],
  })
  openapi(
    {
      route: 'GET /v1/transparency/sth',
      operationId: 'readTreeHead',
      summary: 'Get the log’s head',
      description:
        'Returns the newest signed head of your organisation’s log. Keep the heads you have seen: a consistency proof between two of them shows that the log only grew.',
      answers: { 200: [TreeHeadSchema, 'Its size and its root, signed.'] },
    },
    async ({ c }) => answer(c, await service.readTreeHead(c)),
  )
  openapi(
    {
      route: 'GET /v1/transparency/proof/{attestation_id}',
      operationId: 'proveInclusion',
      summary: 'Prove inclusion',
      description: 'Proves that a receipt is in your organisation’s log.',
      query: ProvenSizeSchema,
      answers: { 200: [InclusionProofSchema, 'RFC 6962: the path from the leaf to the root.'] },
      errors: ['not_found'],
    },
    async ({ c }) => answer(c, await service.proveInclusion(c, c.req.param('attestation_id') ?? '')),
  )
  openapi(
    {
      route: 'GET /v1/transparency/consistency',
      operationId: 'proveConsistency',
      summary: 'Prove consistency',
      description: 'Proves that your organisation’s log has only grown.',
      query: ComparedSizesSchema,
      answers: { 200: [ConsistencyProofSchema, 'RFC 6962: the path that leads to both roots.'] },
    },
    async ({ c }) => answer(c, await service.proveConsistency(c)),
  )
  return api
}

function answer(c: AppContext, body: object): Response {
  c.header('cache-control', 'no-store')
  return c.json(body)
}

type Dependencies = { gate: ChatGate; peppers: readonly Pepper[]; signer: Signer | null; clock: Clock }

type TransparencyService = ReturnType<typeof createTransparencyService>

export function createTransparencyService({ gate, peppers, signer, clock }: Dependencies) {
  async function ask<T>(c: AppContext, key: ParsedKey, question: LogQuestion<T>): Promise<T> {
    const reply = await gate.readLog(c, key, question)
    if (reply.outcome !== 'admitted') throw refusalError(reply)
    return reply.answer
  }

  return {
    async readTreeHead(c: AppContext): Promise<TreeHead> {
      const key = readBearerKey(c, 'gateway', peppers)
      const { size, root } = await ask(c, key, async (object, caller) => object.log.readTreeHead(caller))
      return signTreeHead(signer, { orgId: key.organisationId, size, root }, clock())
    },

    async proveInclusion(c: AppContext, attestationId: string): Promise<InclusionProof> {
      const key = readBearerKey(c, 'gateway', peppers)
      const size = readWantedSize(c.req.query('tree_size'))
      const proof = await ask(c, key, async (object, caller) => object.log.proveInclusion(caller, attestationId, size))
      if (proof.outcome === 'not_found') throw new AppError('not_found', NOT_FOUND, { retryAfterSeconds: 60 })
      if (proof.outcome === 'wrong_size') throw wrongSize('tree_size')
      return presentRecordProof(key.organisationId, attestationId, proof)
    },

    async proveConsistency(c: AppContext): Promise<ConsistencyProof> {
      const key = readBearerKey(c, 'gateway', peppers)
      const sizes = { from: readTreeSize(c.req.query('old_size')), to: readWantedSize(c.req.query('new_size')) }
      const proof = await ask(c, key, async (object, caller) => object.log.proveConsistency(caller, sizes))
      if (proof.outcome === 'wrong_size') throw wrongSizes(c)
      const { outcome: _, consistency_path, ...between } = proof
      return { v: 1, org_id: key.organisationId, ...between, consistency_path: [...consistency_path] }
    },
  }
}

const NOT_FOUND = 'Your organisation’s log has no receipt with this attestation_id. Check the id.'

const readWantedSize = (text: string | undefined): ProofSize => (text === undefined ? null : readTreeSize(text))

const ConsistencyProofSchema = once(() =>
  z.strictObject({ ...organisationMembers(), ...consistencyMembers() }).meta({ id: 'ConsistencyProof' }),
)

type ConsistencyProof = Infer<typeof ConsistencyProofSchema>
