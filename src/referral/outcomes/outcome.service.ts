// Records a choice: verifies the reading's own record, which brings everything, has the choice recorded once, then signs it.
import { signedHash } from '../../evidence/records/attestation-record.ts'
import {
  publishedTrust,
  noSigningKey,
  type AttestationKeys,
  type Signer,
} from '../../evidence/records/configured-keys.ts'
import {
  choiceHash,
  decisionOf,
  describeOutcome,
  outcomeIdOf,
  readingIdHash,
  signOutcome,
  type Choice,
} from '../../evidence/records/outcome-record.ts'
import { findReadingFault, isReading, type SignedReading } from '../../evidence/records/reading-record.ts'
import { readBearerKey } from '../../keys/bearer-key.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ReferralGate } from '../../organisation/admit/referral-gate.ts'
import type { RequireKey } from '../../organisation/admit/require-key.ts'
import type { KnownOutcome } from '../../organisation/outcomes/outcomes.store.ts'
import { refusalError } from '../../organisation/refusal-errors.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { JsonObject } from '../../platform/json.ts'
import { readJsonBody } from '../../platform/read-request.ts'
import { DAY_MS, type Clock } from '../../platform/time.ts'
import type { WaitingListService } from '../waiting-lists/waiting-lists.service.ts'
import { SentOutcomeSchema, type OutcomeResponse, type SentOutcome } from './outcome.schema.ts'

/** How long a reading's record is taken. */
const TAKEN_MS = 30 * DAY_MS

type Deps = {
  gate: ReferralGate
  requireKey: RequireKey
  peppers: readonly Pepper[]
  keys: AttestationKeys | null
  signer: Signer | null
  waitingLists: Pick<WaitingListService, 'findSpecialties'>
  /** True if the log has the hashes of signed readings. */
  hashInLog: boolean
  clock: Clock
}

export type OutcomeService = ReturnType<typeof createOutcomeService>

export function createOutcomeService(deps: Deps) {
  const { gate, requireKey, peppers, keys, signer, waitingLists, hashInLog, clock } = deps

  /** Checks everything that needs no turn of the organisation's object. Throws every error of the route but its conflict. */
  async function readOutcome(c: AppContext, key: ParsedKey): Promise<{ reading: SignedReading; choice: Choice }> {
    const sent = await readJsonBody(c, SentOutcomeSchema())
    if (key.prefix !== 'vk_live_') throw ofASandboxKey()
    // SECURITY: this comes before the signature, whose check is costly.
    if (sent.record['org_id'] !== key.organisationId) throw ofAnotherOrganisation()
    const reading = readRecord(sent.record)
    if (Math.abs(clock() - Date.parse(reading.timestamp)) > TAKEN_MS) throw tooOld()
    const choice = choiceOf(sent)
    if (!(await isPublished(c, reading, choice.specialty))) throw notPublished()
    return { reading, choice }
  }

  function readRecord(record: JsonObject): SignedReading {
    const fault = findReadingFault(record, publishedTrust(keys))
    if (fault !== null || !isReading(record)) throw faultyRecord(fault ?? 'not_an_object')
    return record
  }

  /** A file that is no longer held cannot be read: then only the names in the record are taken. */
  async function isPublished(c: AppContext, reading: SignedReading, specialty: string): Promise<boolean> {
    if (specialty === '' || reading.reader_specialties.includes(specialty)) return true
    const version = { hash: reading.dataset_hash, archiveDate: reading.dataset_archive_date }
    return c.get('timings').measure('storage', async () => (await waitingLists.findSpecialties(version)).has(specialty))
  }

  async function sign(reading: SignedReading, { specialty }: Choice, known: KnownOutcome) {
    const { role, reason, recordedAt: decidedAt, publicKey } = known
    const signingKey = (await signer?.keyNamed(publicKey)) ?? null
    if (signingKey === null) throw noSigningKey()
    return signOutcome(describeOutcome(reading, { specialty, role, reason }, { decidedAt, publicKey }), signingKey)
  }

  return {
    async recordOutcome(c: AppContext): Promise<OutcomeResponse> {
      const key = readBearerKey(c, 'referral', peppers)
      const refusal = gate.recall(c, key)
      if (refusal !== null) throw refusalError(refusal, 'referral')
      const read = await readOutcome(c, key).catch(async (fault: unknown) => {
        // A bad key or a used-up limit outranks what is wrong with the body.
        await requireKey(c)
        throw fault
      })
      const { reading, choice } = read
      const publicKey = signer?.nameAt(clock()) ?? null
      if (publicKey === null) throw noSigningKey()
      const wanted = {
        requestId: c.get('requestId'),
        reading: readingIdHash(reading.reading_id),
        readingHash: hashInLog ? signedHash(reading) : null,
        decision: decisionOf(reading, choice.specialty),
        ...choice,
        choiceHash: choiceHash(reading.reading_id, choice.specialty),
        readersSame: sameAs(reading, choice.specialty),
        publicKey,
      }
      const reply = await gate.readLog(c, key, async (object, caller) => object.outcomes.record(caller, wanted))
      if (reply.outcome !== 'admitted') throw refusalError(reply, 'referral')
      const { answer } = reply
      if (answer.outcome === 'conflict') throw anotherChoice(reading)
      return { outcome: await sign(reading, choice, answer.known), repeated: answer.outcome === 'repeated' }
    },
  }
}

const choiceOf = ({ chosen, role, reason = '' }: SentOutcome): Choice => ({
  specialty: chosen.specialty ?? '',
  role,
  reason,
})

/** A reader that is not available named nothing, which is no agreement with a choice of none. */
function sameAs({ reader_states, reader_specialties }: SignedReading, specialty: string): [boolean, boolean] {
  const isSame = (reader: 0 | 1): boolean =>
    reader_states[reader] === (specialty === '' ? 'none' : 'named') && reader_specialties[reader] === specialty
  return [isSame(0), isSame(1)]
}

const faultyRecord = (fault: string): AppError =>
  new AppError(
    'invalid_request',
    'The record is not a valid signed reading. Keep the salt, and send record.signed alone.',
    {
      param: 'record',
      fields: [{ path: 'record', rule: fault }],
    },
  )

const ofASandboxKey = (): AppError =>
  new AppError('scope_required', 'Sandbox readings have no record, so a sandbox key records no choice. Use a live key.')

const tooOld = (): AppError =>
  new AppError('invalid_request', 'The reading is over 30 days old, so no outcome is recorded for it.', {
    param: 'record',
    fields: [{ path: 'record.timestamp', rule: 'at most 30 days ago' }],
  })

const ofAnotherOrganisation = (): AppError =>
  new AppError('not_found', 'Your organisation has no such reading. Send a record of your own.', { param: 'record' })

const notPublished = (): AppError =>
  new AppError(
    'specialty_not_published',
    'The file that the record names has no such specialty. Send one of its names.',
    {
      param: 'chosen.specialty',
    },
  )

const anotherChoice = ({ reading_id }: SignedReading): AppError =>
  new AppError(
    'conflict',
    `Another choice is recorded for this reading, as ${outcomeIdOf(reading_id)}, and it counts.`,
    {
      headers: { 'x-should-retry': 'false' },
    },
  )
