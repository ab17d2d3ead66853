// Keys, checkpoints and cosignatures for the tests of checkpoints, made as the service makes them.
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { importSigningKey, type SigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { formatCheckpoint, type Checkpoint } from '../../../../src/evidence/checkpoint/checkpoint.ts'
import { ed25519Signer, type NoteSigner } from '../../../../src/evidence/checkpoint/note-signature.ts'
import { cosigner, type Cosigner, signTogether } from '../../../support/cosigner.ts'

export const ORIGIN = 'countersign.example/v1/public/transparency'

export const AT = 1_763_700_000_000

const keyOf = (words: string): Promise<SigningKey> => importSigningKey(sha256(utf8ToBytes(words)))

export const logSigner = async (words = 'log', origin = ORIGIN): Promise<NoteSigner> =>
  ed25519Signer(origin, await keyOf(words))

export const witnessSigner = async (name: string, words = name): Promise<Cosigner> => cosigner(name, await keyOf(words))

export const checkpointOf = (size: number, more: Partial<Checkpoint> = {}): Checkpoint => ({
  origin: ORIGIN,
  size,
  root: sha256(size === 0 ? new Uint8Array() : utf8ToBytes(`tree of ${size}`)),
  extensions: [],
  ...more,
})

export const signedBytes = async (signers: readonly Cosigner[], checkpoint = checkpointOf(7)): Promise<Uint8Array> =>
  utf8ToBytes(await signTogether(formatCheckpoint(checkpoint), signers, AT))

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
