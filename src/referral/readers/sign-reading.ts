// Prepares the signed record of a live reading (reading-1): its hash goes into the settlement, and after that it is signed.
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { readingBytes, type SignedReading, type UnsignedReading } from '../../evidence/records/reading-record.ts'
import { READING_PROFILE, type ReaderState } from '../../evidence/records/reading-words.ts'
import type { SigningKey } from '../../evidence/records/signing-key.ts'
import { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { Reading, UnsignedReadingRecord } from '../read.schema.ts'
import type { LiveReading } from './readers.ts'

export type ReadingSigning = {
  /** Null if this deployment has no signing keys; readings are then unsigned. */
  signer: Pick<Signer, 'keyAt'> | null
  /** True if the log has the hash of the signed reading. */
  hashInLog: boolean
  serviceVersion: string
}

/** `hash`: the SHA-256 of the bytes that `sign` signs, in lower-case hexadecimal. */
export type PreparedSignature = { hash: string; sign: (requestId: string) => Promise<SignedReading> }

type Read = {
  record: UnsignedReadingRecord
  organisationId: string
  reading: Pick<LiveReading, 'servedModels' | 'timings'>
  promptHash: string
  serviceVersion: string
}

/** Facts about both readers. */
type Asked = {
  models: readonly [string, string]
  providers: readonly [string, string]
  routes: readonly [Places, Places]
}

type Places = { places: readonly string[] | null }

export function prepareSignature(readers: Asked, read: Read, key: SigningKey): PreparedSignature {
  const unsigned = describeReading(readers, read, key.publicKey)
  const bytes = readingBytes(unsigned)
  return {
    hash: sha256Hex(bytes),
    sign: async (requestId) => {
      try {
        return {
          ...unsigned,
          signature: (await key.sign(bytes)).toBase64({ alphabet: 'base64url', omitPadding: true }),
        }
      } catch (thrown) {
        logUnexpected(thrown, requestId)
        throw notSigned()
      }
    },
  }
}

/** Members in canonical order, as `readingBytes` needs them. */
function describeReading(
  { models, providers, routes }: Asked,
  { record, organisationId, reading: { servedModels, timings }, promptHash, serviceVersion }: Read,
  publicKey: string,
): UnsignedReading {
  const { id, question, readers, outcome, datasetVersion, generatedAt } = record
  const ofBoth = <T>(of: (reading: Reading) => T): [T, T] => [of(readers[0]), of(readers[1])]
  return {
    action: question.action,
    age_group: outcome.ageGroup ?? '',
    dataset_archive_date: datasetVersion.archiveDate,
    dataset_hash: datasetVersion.hash,
    decision: outcome.decision,
    letter_commitment: question.textHmac,
    org_id: organisationId,
    prompt_hash: promptHash,
    public_key: publicKey,
    reader_age_groups: ofBoth(({ ageGroup }) => ageGroup ?? ''),
    reader_models: models,
    reader_providers: providers,
    reader_regions: [regionOf(routes[0]), regionOf(routes[1])],
    reader_samples: [samplesOf(readers[0], timings[0]), samplesOf(readers[1], timings[1])],
    reader_served_models: [servedModels[0].join(' '), servedModels[1].join(' ')],
    reader_specialties: ofBoth(({ specialty }) => specialty ?? ''),
    reader_states: ofBoth(stateOf),
    reading_id: id,
    service_version: serviceVersion,
    specialty: outcome.specialty ?? '',
    timestamp: generatedAt,
    v: READING_PROFILE,
  }
}

const regionOf = ({ places }: Places): string => places?.join(' ') ?? 'any'

const stateOf = ({ available, reason, specialty }: Reading): ReaderState => {
  if (!available) return reason ?? 'invalid_answer'
  return specialty === null ? 'none' : 'named'
}

/** @param timings of all samples that were asked for */
const samplesOf = ({ consistency, samples }: Reading, { length: asked }: readonly number[]): string =>
  `${Math.round(consistency * asked)}/${samples.length}/${asked}`

const notSigned = (): AppError =>
  new AppError(
    'service_unavailable',
    'The letter was read, but its record could not be signed, so there is no answer. Sending it again is a new reading.',
    { headers: { 'x-should-retry': 'false' } },
  )
