// Reads and erases stored prompts and answers. The organisation's object knows where each is and its key; this service fetches
// it from R2 and decrypts it.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { ContentPlace, StoredContent } from '../../organisation/content/content-object.ts'
import { getContent, type UnopenedContent } from '../../organisation/content/content-objects.store.ts'
import type { ContentErased, ContentOpened } from '../../organisation/content/content.target.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'

type Deps = { open: OpenOrganisation; bucket: Pick<R2Bucket, 'put' | 'get'> }

/** A request of a caller. */
type Asked = { access: Access; requestId: string }

type ReadContent =
  | Exclude<ContentOpened, { outcome: 'opened' }>
  | { outcome: UnopenedContent }
  | { outcome: 'read'; place: Pick<ContentPlace, 'expiresAt'>; stored: StoredContent; plain: Uint8Array<ArrayBuffer> }

export type ContentService = ReturnType<typeof createContentService>

export function createContentService({ open, bucket }: Deps) {
  const objectOf = ({ access: { organisation } }: Asked) => open(organisation)

  return {
    async readContent(asked: Asked, attestationId: string): Promise<ReadContent> {
      const found: ContentOpened = await objectOf(asked).content.open(attestationId, actOf(asked, 'content.read'))
      if (found.outcome !== 'opened') return found
      const { place, stored } = found
      const opened = await getContent(bucket, place, stored)
      return opened.outcome === 'opened' ? { outcome: 'read', place, stored, plain: opened.plain } : opened
    },

    eraseContent: async (asked: Asked, attestationId: string): Promise<ContentErased> =>
      objectOf(asked).content.erase(attestationId, actOf(asked, 'content.erase')),

    /** Returns the position of the log entry about the erasure. */
    eraseAllContent: async (asked: Asked): Promise<number> =>
      objectOf(asked).content.eraseAll(actOf(asked, 'content.erase_all')),
  }
}

const actOf = ({ access, requestId }: Asked, act: string) => ({ actor: actorOf(access.manager), act, requestId })
