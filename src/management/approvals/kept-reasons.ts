// Reasons as they are sealed and put away, and read back: with the salt, so that each is checked against its record.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import type { OpenedReason } from '../../organisation/approvals/approvals.target.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import { getContent, putContent } from '../../organisation/content/content-objects.store.ts'
import { readJson } from '../../platform/json-object.ts'
import { logUnexpected } from '../../platform/log.ts'
import { sha256Hex } from '../../platform/sha256.ts'

const ReasonSchema = z.object({ salt: z.string().regex(/^[0-9a-f]{64}$/), reason: z.string() })
type Reason = z.infer<typeof ReasonSchema>

export type ReadReason = { acceptance_id: string; decided_by: string; reason: string | null; salt: string | null }

/** What a record says of a reason. */
export const reasonHashOf = ({ salt, reason }: Reason): string =>
  sha256Hex(concatBytes(Uint8Array.fromHex(salt), utf8ToBytes(reason)))

/** Never rejects: the decision is written, and whoever made it has reason and salt. */
export async function keepReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  place: ContentPlace,
  reason: Reason,
  requestId: string,
): Promise<void> {
  await putContent(bucket, place, new Uint8Array(utf8ToBytes(JSON.stringify(reason)))).catch((thrown: unknown) =>
    logUnexpected(thrown, requestId),
  )
}

export async function readReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  { acceptanceId, decidedBy, reasonHash, place }: OpenedReason,
): Promise<ReadReason> {
  const opened = place === null ? null : await getContent(bucket, place, null)
  const text = opened?.outcome === 'opened' ? new TextDecoder().decode(opened.plain) : ''
  const read = ReasonSchema.safeParse(readJson(text)).data
  const kept = read !== undefined && reasonHashOf(read) === reasonHash ? read : null
  return { acceptance_id: acceptanceId, decided_by: decidedBy, reason: kept?.reason ?? null, salt: kept?.salt ?? null }
}
