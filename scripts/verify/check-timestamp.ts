// Checks a checkpoint that a timestamp authority has stamped: the token here, the note by check-checkpoint.
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { parseTimestampedCheckpoint } from '../../src/ledger/timestamp/timestamped-checkpoint.ts'
import type { JsonObject } from '../../src/platform/json-object.ts'
import { failed, found, plain, type Finding } from '../../src/ledger/verify/finding.ts'
import { readCertificate, type Certificate } from './timestamp/certificate.ts'
import { TIMESTAMP_FAULTS, verifyTimestamp } from './timestamp/verify-token.ts'

/** `note`: what the token is about; null where the document is none of the two together. */
export type CheckedTimestamp = { readonly finding: Finding; readonly note: Uint8Array | null }

export function checkTimestamp(document: JsonObject, authorities: readonly Certificate[]): CheckedTimestamp {
  const read = parseTimestampedCheckpoint(document)
  if (read === null) {
    const reason = 'It is no timestamped checkpoint: checkpoint and timestamp_token, and nothing else.'
    return { finding: failed('timestamp', 'the document', 'not_a_timestamp', reason), note: null }
  }
  const note = utf8ToBytes(read.checkpoint)
  const verdict = verifyTimestamp(read.token, note, authorities)
  const finding = verdict.valid
    ? found('timestamp', `there at ${timeOf(verdict.time)}, by the word of ${plain(verdict.signer)}`)
    : failed('timestamp', 'the token', verdict.fault, TIMESTAMP_FAULTS[verdict.fault])
  return { finding, note }
}

const timeOf = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

const PEM = /-----BEGIN CERTIFICATE-----(?<base64>[A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** All certificates of a PEM file; null where there is none, or one that cannot be read. */
export function readAuthorities(pem: Uint8Array): Certificate[] | null {
  const text = new TextDecoder().decode(pem)
  const ders = [...text.matchAll(PEM)].map(({ groups }) => Buffer.from(groups?.['base64'] ?? '', 'base64'))
  const certificates = ders.flatMap((der) => readCertificate(der) ?? [])
  return certificates.length === 0 || certificates.length < ders.length ? null : certificates
}
