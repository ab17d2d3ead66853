// Runs a live reading: reserves its cost and records it, asks both readers, settles, then answers with a record for the caller.
// So the log has an entry for every letter before it is sent, and one for every answer.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { assertAdmitted, type ReferralGate } from '../../organisation/admit/referral-gate.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { catalogueSha256 } from '../../providers/model-catalogue.ts'
import { logRefusedAccess } from '../../providers/provider-client.ts'
import type { AllowedAction } from '../actions.ts'
import { decideFromReadings } from '../decision.policy.ts'
import type { ReadingRecord, ReadResponse, UnsignedReadingRecord } from '../read.schema.ts'
import type { ReadHeaders } from '../referral-request.policy.ts'
import type { LiveReading, PreparedReading, Readers } from './readers.ts'
import { prepareSignature, type PreparedSignature, type ReadingSigning } from './sign-reading.ts'
import { formatUuid, uuidV7Bytes } from '../../platform/ids.ts'

export type LiveQuestion = ReadHeaders & {
  action: AllowedAction
  text: string
  dataset: { version: ReadResponse['datasetVersion']; specialties: ReadonlySet<string> }
}

export type LiveReadingService = ReturnType<typeof createLiveReadingService>

type StartedReading = {
  question: LiveQuestion
  prepared: PreparedReading
  position: number
  reference: SaltedHash | undefined
}

type Deps = { gate: ReferralGate; readers: Readers; clock: Clock; signing: ReadingSigning }

export function createLiveReadingService({ gate, readers, clock, signing }: Deps) {
  /** The last file's hash of rules and list: the same for every letter. */
  let known = { dataset: '', promptHash: '' }

  function promptHashOf({ version: { hash, archiveDate }, specialties }: LiveQuestion['dataset']): string {
    const dataset = `${hash} ${archiveDate}`
    if (known.dataset !== dataset) known = { dataset, promptHash: readers.promptHash(specialties) }
    return known.promptHash
  }

  /** Throws the error of a call that is not admitted or not settled. */
  async function readLive(c: AppContext, key: ParsedKey, question: LiveQuestion): Promise<ReadResponse> {
    const { text, dataset, idempotencyKeyHash } = question
    const reference = question.reference === null ? undefined : await hashWithSalt(question.reference)
    const prepared = readers.prepareReading({ text, specialties: dataset.specialties })
    const admission = await gate.admit(c, key, {
      scope: 'referral:read',
      entry: { kind: 'referral_decision', content: startContent(c, question, readers, reference) },
      reserveMicroeur: prepared.mostMicroeur,
      dataRegion: readers.dataRegion,
      idempotencyKeyHash,
    })
    assertAdmitted(admission)
    const { position } = admission
    if (position === null) throw new Error('the entry has no position')
    const answering = readAndSettle(c, key, { question, prepared, position, reference })
    // The reading is settled even if the caller leaves.
    c.executionCtx.waitUntil(answering.catch(() => undefined))
    return await answering
  }

  async function readAndSettle(c: AppContext, key: ParsedKey, started: StartedReading): Promise<ReadResponse> {
    const { question, prepared, position, reference } = started
    const reading = await c.get('timings').measure('upstream', () => prepared.read())
    const { readers: readings, costMicroeur } = reading
    for (const [model, refused] of reading.refusedAccess) logRefusedAccess(c.get('requestId'), model, refused)
    const decision = decideFromReadings(readings, reading.twoProblems)
    const { version: datasetVersion } = question.dataset
    const answer = { action: question.action, ...decision, readers: readings, sandbox: false, datasetVersion }
    const unnamed = await createReadingRecord(question.text, answer, clock(), reference)
    const record = { ...unnamed, models: modelsOf(reading) }
    const signature = await prepare(key, question, record, reading)
    const content = {
      ...endContent(c, reading, decision.decision, readers),
      ...(signature !== null && signing.hashInLog ? { reading: signature.hash } : {}),
    }
    const settled = await gate.settleReading(c, key, { position, costMicroeur, content })
    const ledger = { position: settled.position, entry: encodeBase64url(settled.entry) }
    if (signature === null) return { ...answer, record: { ...record, ledger } }
    return { ...answer, record: { ...record, signed: await signature.sign(c.get('requestId')), ledger } }
  }

  /** Returns null if this deployment has no key to sign with. */
  async function prepare(
    { organisationId }: ParsedKey,
    { dataset }: LiveQuestion,
    record: UnsignedReadingRecord,
    reading: LiveReading,
  ): Promise<PreparedSignature | null> {
    const { signer, serviceVersion } = signing
    const signingKey = (await signer?.keyAt(Date.parse(record.generatedAt))) ?? null
    if (signingKey === null) return null
    const read = { record, organisationId, reading, promptHash: promptHashOf(dataset), serviceVersion }
    return prepareSignature(readers, read, signingKey)
  }

  function modelsOf({ servedModels }: LiveReading): ReadingRecord['models'] {
    const modelOf = (reader: 0 | 1) => ({
      provider: readers.providers[reader],
      model: readers.models[reader],
      servedModels: servedModels[reader],
    })
    return [modelOf(0), modelOf(1)]
  }

  return { readLive }
}

/** Returns the content of the entry that the log gets before the letter is sent. */
const startContent = (
  c: AppContext,
  { action, dataset }: LiveQuestion,
  { models, routes }: Pick<Readers, 'models' | 'routes'>,
  reference: SaltedHash | undefined,
): EntryContent => ({
  request_id: c.get('requestId'),
  sandbox: false,
  dataset: dataset.version.hash,
  action,
  decision: 'reading',
  models,
  routes,
  catalogue: catalogueSha256(),
  ...(reference && { reference_hmac: reference.hmac }),
})

/** Returns the outcome of each reader, who answered, and the times of its samples, without its readings. */
function endContent(
  c: AppContext,
  { readers, timings, servedModels, costEstimated }: LiveReading,
  decision: ReadResponse['decision'],
  { models, eurPerUsd }: Pick<Readers, 'models' | 'eurPerUsd'>,
): EntryContent {
  const outcomes = readers.map(({ available, reason }, index) => ({
    model: models[index] ?? null,
    available,
    reason,
    served_models: servedModels[index] ?? [],
    samples_ms: timings[index] ?? [],
  }))
  return {
    request_id: c.get('requestId'),
    decision,
    status: 200,
    readers: outcomes,
    cost_estimated: costEstimated,
    eur_per_usd: eurPerUsd.rate,
    eur_per_usd_date: eurPerUsd.date,
  }
}

type RecordedAnswer = Pick<
  ReadResponse,
  'action' | 'decision' | 'specialty' | 'ageGroup' | 'readers' | 'datasetVersion'
>

/**
 * Creates the record of a reading, which the caller stores with the referral. It has no letter: a salted HMAC binds the two. Each
 * record has a new salt, so that nobody can tell that two records belong to one letter.
 * @param text exactly as it was sent
 * @param now in milliseconds since the epoch
 * @param reference of the caller's reference, which the entry of the reading has too, without the salt
 */
export async function createReadingRecord(
  text: string,
  answer: RecordedAnswer,
  now: number,
  reference?: SaltedHash,
): Promise<Omit<UnsignedReadingRecord, 'models'>> {
  const { action, decision, specialty, ageGroup, readers, datasetVersion } = answer
  const { salt, hmac: textHmac } = await hashWithSalt(text)
  return {
    id: `rdg_${formatUuid(uuidV7Bytes(now))}`,
    question: { action, characters: Array.from(text).length, salt, textHmac },
    ...(reference && { reference }),
    readers,
    outcome: { decision, specialty, ageGroup },
    datasetVersion,
    letterStored: false,
    generatedAt: new Date(now).toISOString(),
  }
}

/** In lower-case hexadecimal. SECURITY: only the caller's record has the salt, so that nobody else can test a guess. */
type SaltedHash = { salt: string; hmac: string }

async function hashWithSalt(text: string): Promise<SaltedHash> {
  const salt = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const hmac = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))).toHex()
  return { salt: salt.toHex(), hmac }
}
