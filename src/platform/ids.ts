// Makes and parses identifiers: a prefix that names the kind, then a UUID version 7 (RFC 9562). An organisation with invented data
// has version 8. Identifiers of one kind and version sort by time.

/**
 * Returns 48 bits of milliseconds, then 74 random bits around the version and the variant.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function uuidV7Bytes(now: number): Uint8Array<ArrayBuffer> {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(now / 2 ** 32))
  view.setUint32(2, now % 2 ** 32)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  return bytes
}

export const formatUuid = (bytes: Uint8Array): string =>
  bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Returns the 16 bytes of `prefix` + UUID, or null if the text is something else. */
export function parseId(prefix: string, id: string): Uint8Array<ArrayBuffer> | null {
  if (!id.startsWith(prefix)) return null
  const uuid = id.slice(prefix.length)
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(uuid)
    ? Uint8Array.fromHex(uuid.replaceAll('-', ''))
    : null
}

/**
 * Returns bytes like those of version 7, but with version 8, which the RFC leaves to applications.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.8
 */
function uuidV8Bytes(now: number): Uint8Array<ArrayBuffer> {
  const bytes = uuidV7Bytes(now)
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x80], 6)
  return bytes
}

export type OrganisationId = `org_${string}`
export type KeyId = `key_${string}`
export type PersonId = `usr_${string}`
export type SessionId = `ses_${string}`
export type InvitationId = `inv_${string}`
export type ErasureId = `era_${string}`
export type ApprovalId = `apr_${string}`
export type AuditExportId = `exp_${string}`

export const organisationId = (bytes: Uint8Array): OrganisationId => `org_${formatUuid(bytes)}`

/**
 * Returns an organisation's id, of version 8 if its data is invented. The mark cannot be removed: the id is in its keys,
 * its signed records and the name of its log.
 */
export const newOrganisationId = (now: number, isDemo: boolean): OrganisationId =>
  organisationId(isDemo ? uuidV8Bytes(now) : uuidV7Bytes(now))

const VERSION_PLACE = 'org_xxxxxxxx-xxxx-'.length

/** Returns true if all of the organisation's data is invented. */
export const isDemoOrganisation = (id: string): boolean => id[VERSION_PLACE] === '8'

export const keyId = (bytes: Uint8Array): KeyId => `key_${formatUuid(bytes)}`
export const newId = <Prefix extends string>(prefix: Prefix, now: number): `${Prefix}${string}` =>
  `${prefix}${formatUuid(uuidV7Bytes(now))}`
export const newRequestId = (now: number): string => `req_${formatUuid(uuidV7Bytes(now))}`

/** The name of the object with the operator's own log, for acts that concern no single organisation. */
export const OPERATOR_LOG_NAME = 'operator'
