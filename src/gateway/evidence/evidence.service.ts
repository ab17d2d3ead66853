// A record that was given before, given again: a stream that was cut leaves its caller without it. Signed anew from the
// ledger, which gives the same bytes.
import type { AttestationKeys, Signer } from '../../evidence/records/attestation-keys.ts'
import { encodeBase64url } from '../../evidence/records/base64url.ts'
import { noSigningKey } from '../../evidence/records/configured-keys.ts'
import { publishKey } from '../../evidence/records/key-history.ts'
import type { AttestationRecord, UnsignedRecord } from '../../evidence/records/record.ts'
import { signRecord } from '../../evidence/records/sign-record.ts'
import { bearerKey } from '../../keys/bearer.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ProvenAnchor } from '../../evidence/bundles/anchor.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { KnownTree } from '../../tiles/proofs.ts'
import type { InclusionProof } from '../../evidence/tree/proof.ts'
import type { PublicLogService } from '../../public-log/public-log.service.ts'
import type { LogAnswer } from '../../organisation/admit/admit-look.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { Evidence, EvidenceAnswer } from '../../organisation/journal/own-log.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { refusalError } from '../../organisation/errors.ts'
import { readAttestationId } from '../call/trace.ts'
import { presentAnchor, presentInclusion, signTreeHead } from '../../public-log/log-answers.ts'
import type { EvidenceBundle } from './evidence.schema.ts'

type Dependencies = {
  gate: ChatGate
  peppers: readonly Pepper[]
  /** Null where this deployment has none. */
  keys: AttestationKeys | null
  signer: Signer | null
  publicLog: Pick<PublicLogService, 'provePublicEvidence'>
  clock: Clock
}

export type EvidenceService = ReturnType<typeof createEvidenceService>

export function createEvidenceService({ gate, peppers, keys, signer, publicLog, clock }: Dependencies) {
  /** @param isBundle whether the anchor of the log is wanted too */
  async function gather(c: AppContext, key: ParsedKey, named: string, isBundle: boolean): Promise<Gathered> {
    const attestationId = readAttestationId(named) ?? ''
    const reply = await gate.readLog(c, key, async (object, caller): Promise<LogAnswer<Gathered>> => {
      const answer: LogAnswer<EvidenceAnswer> = await object.log.gatherEvidence(caller, attestationId)
      if (answer.outcome !== 'admitted') return answer
      const evidence = answer.answer
      const anchor: ProvenAnchor | null =
        isBundle && evidence.outcome === 'found' ? await object.log.proveAnchor(treeOf(evidence.inclusion)) : null
      return { ...answer, answer: { evidence, anchor } }
    })
    if (reply.outcome !== 'admitted') throw refusalError(reply)
    return reply.answer
  }

  async function signAgain(record: UnsignedRecord): Promise<AttestationRecord> {
    if (signer === null) throw noSigningKey()
    const signingKey = await signer.keyNamed(record.public_key)
    if (signingKey === null) throw new AppError('not_found', SEED_GONE)
    return signRecord(record, signingKey)
  }

  async function bundle(
    c: AppContext,
    orgId: string,
    evidence: Evidence,
    anchor: ProvenAnchor | null,
  ): Promise<EvidenceBundle> {
    const { record, inclusion, settlement } = evidence
    const logged = await publicLog.provePublicEvidence(c, record.attestation_id)
    if (logged !== null && logged.proof.leaf_hash !== inclusion.leaf_hash) throw ABSENT.unreadable()
    return {
      format: 'countersign-evidence-v1',
      record: await signAgain(record),
      settlement: settlement && {
        settles: inclusion.leaf_index,
        content: contentOf(settlement.entry),
        entry: encodeBase64url(settlement.entry),
        proof: presentInclusion(orgId, settlement.inclusion),
      },
      organisation_log: {
        head: await signTreeHead(signer, { orgId, ...treeOf(inclusion) }, clock()),
        proof: { ...presentInclusion(orgId, inclusion), attestation_id: record.attestation_id },
      },
      public_log: logged,
      anchor: await presentAnchor(anchor, (id) => publicLog.provePublicEvidence(c, id)),
      keys: { keys: (keys?.history ?? []).map(publishKey) },
    }
  }

  return {
    /** `named`: the attestation_id or the trace_id. */
    async readAttestation(c: AppContext, named: string): Promise<AttestationRecord | EvidenceBundle> {
      const key = bearerKey(c, 'gateway', peppers)
      const wanted = c.req.query('bundle')
      const { evidence, anchor } = await gather(c, key, named, wanted === 'true')
      const isBundle = readBundle(wanted)
      if (evidence.outcome !== 'found') throw ABSENT[evidence.outcome]()
      return isBundle ? bundle(c, key.organisationId, evidence, anchor) : signAgain(evidence.record)
    },
  }
}

/** `anchor`: null too where no bundle is wanted. */
type Gathered = { evidence: EvidenceAnswer; anchor: ProvenAnchor | null }

const treeOf = ({ tree_size: size, root_hash: root }: InclusionProof): KnownTree => ({
  size,
  root: Uint8Array.fromHex(root),
})

function readBundle(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw new AppError('invalid_request', 'bundle is true or false.', {
    param: 'bundle',
    fields: [{ path: 'bundle', rule: 'one of true, false' }],
  })
}

const ABSENT = {
  not_found: () =>
    new AppError('not_found', 'Your organisation has no record with this attestation_id or trace_id. Check the id.'),
  not_kept: () =>
    new AppError(
      'not_found',
      'The time for which this record is kept is over. The copy that came with the answer stays valid, and its leaf stays in the logs.',
    ),
  unreadable: () =>
    new AppError('service_unavailable', 'The record cannot be read right now. Try again.', { retryAfterSeconds: 5 }),
}

const SEED_GONE =
  'The record cannot be signed again: the seed is gone of the key that signed it. The copy that came with the answer is worth what it was.'
