// Checks the token of a checkpoint that a timestamp authority has stamped, by the authorities that the caller trusts.
import { failed, found, plain, type Finding } from '../../src/evidence/verify/finding.ts'
import { AGE_FAULTS, timeOf, type Freshness } from '../../src/evidence/verify/freshness.ts'
import { readCertificate, type Certificate } from './timestamp/certificate.ts'
import { TIMESTAMP_FAULTS, verifyTimestamp } from './timestamp/verify-token.ts'

/** A token says that the note is no younger than its time: so it can show that the note is too old, and never that it is fresh. */
export function checkToken(
  token: Uint8Array,
  note: Uint8Array,
  { authorities, freshness }: { authorities: readonly Certificate[]; freshness: Freshness | null },
): Finding {
  const verdict = verifyTimestamp(token, note, authorities)
  if (!verdict.valid) return failed('timestamp', 'the token', verdict.fault, TIMESTAMP_FAULTS[verdict.fault])
  const seconds = Math.floor(verdict.time / 1000)
  const subject = `there at ${timeOf(seconds)}, by the word of ${plain(verdict.signer)}`
  const isTooOld = freshness !== null && seconds < freshness.now - freshness.maxAge
  return isTooOld ? failed('timestamp', subject, 'too_old', AGE_FAULTS.too_old) : found('timestamp', subject)
}

const PEM = /-----BEGIN CERTIFICATE-----(?<base64>[A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** All certificates of a PEM file; null where there is none, or one that cannot be read. */
export function readAuthorities(pem: Uint8Array): Certificate[] | null {
  const text = new TextDecoder().decode(pem)
  const ders = [...text.matchAll(PEM)].map(({ groups }) => Buffer.from(groups?.['base64'] ?? '', 'base64'))
  const certificates = ders.flatMap((der) => readCertificate(der) ?? [])
  return certificates.length === 0 || certificates.length < ders.length ? null : certificates
}
