// What a witness is sent (c2sp.org/tlog-witness): the size it cosigned last, the proof from there on, and the checkpoint.
import { encodeBase64 } from './base64.ts'

export type AddCheckpoint = {
  /** 0 where the witness has cosigned nothing of this log. */
  readonly oldSize: number
  /** RFC 6962, section 2.1.2; empty from 0 on and where the size is the same. 52 hashes at most for sizes up to 2^53, of 63 allowed. */
  readonly proof: readonly Uint8Array[]
  /** The whole note. */
  readonly checkpoint: string
}

export const formatAddCheckpoint = ({ oldSize, proof, checkpoint }: AddCheckpoint): string =>
  [`old ${oldSize}`, ...proof.map(encodeBase64), '', checkpoint].join('\n')
