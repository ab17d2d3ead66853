// Reads and erases the stored prompts and answers of calls. The organisation's object returns the place and the key of a
// call's content; this service fetches the content from R2 and decrypts it.
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type { ContentPlace, StoredContent } from '../../organisation/content/content-object.ts'
import { getContent, type UnopenedContent } from '../../organisation/content/content-bucket.store.ts'
import type { ContentErased, ContentOpened } from '../../organisation/content/content.target.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'

type Deps = { open: OpenOrganisation; bucket: Pick<R2Bucket, 'put' | 'get'> }

/** The caller's access, and the id of the request that the log entry names. */
type CallerRequest = { access: Access; requestId: string }

type ReadContent =
  | Exclude<ContentOpened, { outcome: 'opened' }>
  | { outcome: UnopenedContent }
  | { outcome: 'read'; place: Pick<ContentPlace, 'expiresAt'>; stored: StoredContent; plain: Uint8Array<ArrayBuffer> }

export type ContentService = ReturnType<typeof createContentService>

export function createContentService({ open, bucket }: Deps) {
  const objectOf = ({ access: { organisation } }: CallerRequest) => open(organisation)

  return {
    async readContent(asked: CallerRequest, attestationId: string): Promise<ReadContent> {
      const found: ContentOpened = await objectOf(asked).content.open(attestationId, actOf(asked, 'content.read'))
      if (found.outcome !== 'opened') return found
      const { place, stored } = found
      const opened = await getContent(bucket, place, stored)
      return opened.outcome === 'opened' ? { outcome: 'read', place, stored, plain: opened.plain } : opened
    },

    eraseContent: async (asked: CallerRequest, attestationId: string): Promise<ContentErased> =>
      objectOf(asked).content.erase(attestationId, actOf(asked, 'content.erase')),

    /** Returns the position of the log entry about the erasure. */
    eraseAllContent: async (asked: CallerRequest): Promise<number> =>
      objectOf(asked).content.eraseAll(actOf(asked, 'content.erase_all')),
  }
}

const actOf = ({ access, requestId }: CallerRequest, act: string) => ({
  actor: actorOf(access.manager),
  act,
  requestId,
})
