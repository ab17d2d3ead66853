// The organisation's transparency log over HTTP: the object answers from disk, the Worker signs what it said. The same
// size always has the same root, so no two heads of one size are signed with different ones.
import { z } from '@hono/zod-openapi'
import {
  consistencyMembers,
  ofOrganisation,
  type InclusionProof,
  type TreeHead,
} from '../../evidence/bundles/log.schema.ts'
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { bearerKey } from '../../keys/bearer.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ChatGate, LogQuestion } from '../../organisation/admit/chat-gate.ts'
import { refusalError } from '../../organisation/errors.ts'
import type { WantedSize } from '../../organisation/journal/log-reader.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { presentInclusion, signTreeHead } from '../../public-log/log-answers.ts'
import { readTreeSize, wrongSize } from '../../public-log/tree-size.ts'

type Dependencies = { gate: ChatGate; peppers: readonly Pepper[]; signer: Signer | null; clock: Clock }

export type TransparencyService = ReturnType<typeof createTransparencyService>

export function createTransparencyService({ gate, peppers, signer, clock }: Dependencies) {
  async function ask<T>(c: AppContext, key: ParsedKey, question: LogQuestion<T>): Promise<T> {
    const reply = await gate.readLog(c, key, question)
    if (reply.outcome !== 'admitted') throw refusalError(reply)
    return reply.answer
  }

  return {
    async readTreeHead(c: AppContext): Promise<TreeHead> {
      const key = bearerKey(c, 'gateway', peppers)
      const { size, root } = await ask(c, key, async (object, caller) => object.log.readTreeHead(caller))
      return signTreeHead(signer, { orgId: key.organisationId, size, root }, clock())
    },

    async proveInclusion(c: AppContext, attestationId: string): Promise<InclusionProof> {
      const key = bearerKey(c, 'gateway', peppers)
      const size = readWantedSize(c.req.query('tree_size'))
      const proof = await ask(c, key, async (object, caller) => object.log.proveInclusion(caller, attestationId, size))
      if (proof.outcome === 'not_found') throw new AppError('not_found', NOT_FOUND, { retryAfterSeconds: 60 })
      if (proof.outcome === 'wrong_size') throw wrongSize('tree_size')
      return { ...presentInclusion(key.organisationId, proof), attestation_id: attestationId }
    },

    async proveConsistency(c: AppContext): Promise<ConsistencyProof> {
      const key = bearerKey(c, 'gateway', peppers)
      const sizes = { from: readTreeSize(c.req.query('old_size')), to: readWantedSize(c.req.query('new_size')) }
      const proof = await ask(c, key, async (object, caller) => object.log.proveConsistency(caller, sizes))
      if (proof.outcome === 'wrong_size') throw wrongSize('old_size')
      const { outcome: _, consistency_path, ...between } = proof
      return { v: 1, org_id: key.organisationId, ...between, consistency_path: [...consistency_path] }
    },
  }
}

const NOT_FOUND = 'Your organisation’s log has no receipt with this attestation_id.'

const readWantedSize = (text: string | undefined): WantedSize => (text === undefined ? null : readTreeSize(text))

export const ConsistencyProofSchema = z
  .strictObject({ ...ofOrganisation, ...consistencyMembers })
  .openapi('ConsistencyProof')

type ConsistencyProof = z.infer<typeof ConsistencyProofSchema>
