// A software authenticator with one passkey (ES256). `register`, then `assert`, answer the options of
// POST /api/auth/passkeys/options as a browser at `origin` would; what they return is the member `passkey` of the request.
// `lies` change one response. Another origin is a lie too, and so is another authenticator.
import { Buffer } from 'node:buffer'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type RegisterOptions = { challenge: string; rp: { id: string }; user: { id: string } }
type AssertOptions = { challenge: string; rpId: string }

/** @param rpId whose hash is signed @param counter which later responses count on from */
export type Lies = {
  challenge?: string
  rpId?: string
  isUserVerified?: boolean
  counter?: number
  userHandle?: string | null
}

const [USER_PRESENT, USER_VERIFIED, ATTESTED_DATA] = [0x01, 0x04, 0x40]

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

/** @param idBytes how long the passkey's id is */
export function createAuthenticator({ idBytes = 32 } = {}) {
  const id = randomBytes(idBytes)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = id.toString('base64url')
  let userHandle: string | null = null
  let counter = 0

  const authenticatorData = (rpId: string, flags: number, { isUserVerified = true }: Lies): Buffer => {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags | USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0))
    rest.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), rest])
  }

  return {
    register(options: RegisterOptions, origin: string, lies: Lies = {}) {
      userHandle = options.user.id
      counter = lies.counter ?? 0
      const data = Buffer.concat([
        authenticatorData(lies.rpId ?? options.rp.id, ATTESTED_DATA, lies),
        Buffer.alloc(16),
        Buffer.of(id.length >> 8, id.length & 255),
        id,
        coseKey(publicKey.export({ format: 'jwk' })),
      ])
      const clientDataJSON = clientData('webauthn.create', lies.challenge ?? options.challenge, origin)
      return {
        rawId,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject(data).toString('base64url'),
          transports: ['internal'],
        },
      }
    },

    assert(options: AssertOptions, origin: string, lies: Lies = {}) {
      counter = lies.counter ?? counter + 1
      const data = authenticatorData(lies.rpId ?? options.rpId, 0, lies)
      const clientDataJSON = clientData('webauthn.get', lies.challenge ?? options.challenge, origin)
      return {
        rawId,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey).toString('base64url'),
          userHandle: lies.userHandle === undefined ? userHandle : lies.userHandle,
        },
      }
    },
  }
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

/** CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
const coseKey = ({ x = '', y = '' }: { x?: string | undefined; y?: string | undefined }): Buffer =>
  Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])

/** CBOR: {"fmt": "none", "attStmt": {}, "authData": data}. */
const attestationObject = (data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('\u00a3cfmtdnonegattStmt\u00a0hauthData', 'latin1'),
    data.length < 256 ? Buffer.of(0x58, data.length) : Buffer.of(0x59, data.length >> 8, data.length & 255),
    data,
  ])
