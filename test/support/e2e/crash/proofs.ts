// Asks the service for proofs of what it has answered before, of some of it, and checks them as anybody could: a receipt is in
// its organisation's log and in the public one, and heads that were served are of one history with the newest.
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { isJsonObject, type JsonObject } from '../../../../src/platform/json.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { leafHash } from '../../../../src/evidence/entry.ts'
import { verifyConsistency, verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import type { OperatorTarget } from '../../../../scripts/operator/operator-client.ts'
import { attestationsIn, type Caller, type Seen } from './clients.ts'
import { faultIf } from './books.ts'

/** How many of each kind are asked for, spread over all there are. */
const SAMPLES = 12

const HeadSchema = z.object({ tree_size: z.int(), root_hash: z.string() })
type Head = z.infer<typeof HeadSchema>

/** A log that proofs are asked of; without a key, the public one. */
type Log = {
  name: string
  path: string
  key: string | null
  receipts: readonly JsonObject[]
  heads: readonly unknown[]
  /** Called before a question: those about an organisation's log count as its calls. */
  onQuestion: () => void
}

export async function findProofFaults(
  target: OperatorTarget,
  callers: readonly Caller[],
  seen: Seen,
  publicKey: string,
): Promise<string[]> {
  const receipts = seen.sent.map((sent) => ({ organisationId: sent.organisationId, found: attestationsIn(sent) }))
  const logs: Log[] = callers.map(({ organisationId, key }) => ({
    name: organisationId,
    path: '/v1/transparency',
    key,
    receipts: receipts.filter((one) => one.organisationId === organisationId).flatMap(({ found }) => found),
    heads: seen.heads.filter((one) => one.organisationId === organisationId).map(({ head }) => head),
    onQuestion: () => void seen.questions.push({ organisationId }),
  }))
  const open = { name: 'public log', path: '/v1/public/transparency', key: null, onQuestion: () => {} }
  logs.push({ ...open, receipts: receipts.flatMap(({ found }) => found), heads: seen.publicHeads })
  const faults = await Promise.all([
    ...logs.map((log) => findFaultsOf(target, log)),
    ...logs.filter(({ key }) => key !== null).map((log) => findBundleFaults(target, log, publicKey)),
  ])
  return faults.flat()
}

async function findFaultsOf(target: OperatorTarget, log: Log): Promise<string[]> {
  const newest = HeadSchema.parse(await get(target, log, '/sth'))
  const faults: string[] = []
  for (const receipt of spread(log.receipts)) {
    const id = idOf(receipt)
    const proof = await get(target, log, `/proof/${id}?tree_size=${newest.tree_size}`)
    faults.push(...findInclusionFaults(proof, receipt, newest).map((fault) => `${id}: ${fault}`))
  }
  for (const head of spread(log.heads.map((one) => HeadSchema.parse(one)))) {
    if (head.tree_size === 0) continue
    const sizes = `old_size=${head.tree_size}&new_size=${newest.tree_size}`
    faults.push(...findConsistencyFaults(await get(target, log, `/consistency?${sizes}`), head, newest))
  }
  return faults.map((fault) => `${log.name}: ${fault}`)
}

/** Times may contradict each other here, where the clock is set forward and back. */
const OF_THE_CLOCK: ReadonlySet<string | null> = new Set(['anchor_after_head', 'record_after_head'])

/** The bundle of its last receipt, with the anchor of its log, is valid in all its parts. */
async function findBundleFaults(target: OperatorTarget, log: Log, publicKey: string): Promise<string[]> {
  const last = log.receipts.at(-1)
  const bundle = last && (await get(target, { ...log, path: '/v1/attestations' }, `/${idOf(last)}?bundle=true`))
  // Details may be over by now.
  if (!isJsonObject(bundle) || bundle['format'] === undefined) return []
  return checkDocument(bundle, { ...NO_OPTIONS, trust: { keys: [publicKey] } })
    .filter(({ valid, code }) => !valid && !OF_THE_CLOCK.has(code))
    .map(({ kind, code }) => `${log.name}: the ${kind} of its last bundle is not valid: ${code}`)
}

function findInclusionFaults(proof: unknown, receipt: JsonObject, newest: Head): string[] {
  const verdict = verifyInclusion(proof)
  if (!verdict.valid) return [`its proof does not verify: ${verdict.fault}`]
  const { leaf_hash: leaf, root_hash: root } = verdict.proof
  return [
    ...faultIf(leaf !== bytesToHex(leafHash(receiptEntry(receipt))), 'its proof is of another leaf'),
    ...faultIf(root !== newest.root_hash, 'its proof does not lead to the newest head'),
  ]
}

function findConsistencyFaults(proof: unknown, head: Head, newest: Head): string[] {
  const verdict = verifyConsistency(proof)
  if (!verdict.valid) return [`the newest head is not shown to continue size ${head.tree_size}: ${verdict.fault}`]
  const { old_root: before, new_root: after } = verdict.proof
  const isOther = before !== head.root_hash || after !== newest.root_hash
  return faultIf(isOther, `the proof from size ${head.tree_size} is between other heads`)
}

const idOf = (receipt: JsonObject): string => z.string().parse(receipt['attestation_id'])

async function get({ url }: OperatorTarget, { path, key, onQuestion }: Log, question: string): Promise<unknown> {
  onQuestion()
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  return (await fetch(`${url}${path}${question}`, { headers })).json()
}

function spread<T>(all: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(all.length / SAMPLES))
  return all.filter((_, at) => at % step === 0 || at === all.length - 1)
}
