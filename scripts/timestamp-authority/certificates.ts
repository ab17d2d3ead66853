// The certificates of a timestamp authority that is made up here: an issuer that signs itself, and the signer of tokens.
import { randomBytes } from 'node:crypto'
import { BitString, Integer, PrintableString } from 'asn1js'
import { AttributeTypeAndValue, BasicConstraints, Certificate, ExtKeyUsage, Extension } from 'pkijs'

export type Issued = { certificate: Certificate; key: CryptoKey }

export type CertificateOptions = {
  name: string
  /** Null: it signs itself. */
  issuer: Issued | null
  /** Milliseconds since the epoch. */
  validFrom: number
  validUntil: number
  /** May issue others; null for a certificate that may not. */
  pathLength?: number | 'any' | null
  /** What it may be used for alone, as object identifiers. */
  purposes?: readonly string[]
  arePurposesCritical?: boolean
  key?: 'ecdsa' | 'rsa'
}

export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'

const KEYS = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
} as const

export async function issueCertificate({
  name,
  issuer,
  validFrom,
  validUntil,
  pathLength = null,
  purposes = [],
  arePurposesCritical = true,
  key = 'ecdsa',
}: CertificateOptions): Promise<Issued> {
  const pair = await crypto.subtle.generateKey(KEYS[key], true, ['sign', 'verify'])
  const certificate = new Certificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ valueHex: Uint8Array.of(0x01, ...randomBytes(15)) })
  certificate.subject.typesAndValues.push(
    new AttributeTypeAndValue({ type: COMMON_NAME, value: new PrintableString({ value: name }) }),
  )
  certificate.issuer = issuer?.certificate.subject ?? certificate.subject
  certificate.notBefore.value = new Date(validFrom)
  certificate.notAfter.value = new Date(validUntil)
  certificate.extensions = [
    constraints(pathLength),
    extension(
      KEY_USAGE,
      true,
      new BitString({ valueHex: pathLength === null ? SIGNS : ISSUES, unusedBits: pathLength === null ? 7 : 2 }),
    ),
    ...(purposes.length === 0
      ? []
      : [
          extension(
            EXTENDED_KEY_USAGE,
            arePurposesCritical,
            new ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema(),
          ),
        ]),
  ]
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey)
  await certificate.sign(issuer?.key ?? pair.privateKey, 'SHA-256')
  return { certificate, key: pair.privateKey }
}

const COMMON_NAME = '2.5.4.3'
const KEY_USAGE = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const BASIC_CONSTRAINTS = '2.5.29.19'

/** digitalSignature; keyCertSign and cRLSign. */
const SIGNS = Uint8Array.of(0x80)
const ISSUES = Uint8Array.of(0x06)

function constraints(pathLength: number | 'any' | null): Extension {
  const limit = typeof pathLength === 'number' ? { pathLenConstraint: pathLength } : {}
  const value = new BasicConstraints({ cA: pathLength !== null, ...limit })
  return extension(BASIC_CONSTRAINTS, true, value.toSchema())
}

type Encodable = { toBER: () => ArrayBuffer }

const extension = (extnID: string, critical: boolean, value: Encodable): Extension =>
  new Extension({ extnID, critical, extnValue: value.toBER() })

export const derOf = ({ certificate }: Pick<Issued, 'certificate'>): Buffer =>
  Buffer.from(certificate.toSchema(true).toBER())

export function pemOf(issued: Pick<Issued, 'certificate'>): string {
  const lines =
    derOf(issued)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
