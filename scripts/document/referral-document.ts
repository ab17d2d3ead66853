// Makes the OpenAPI document of the referral service from the document of the whole service.
import type { JsonObject } from '../../src/platform/json.ts'
import { mapValues, membersOf } from '../../src/pages/reference/inline-references.ts'
import type { ApiDocument } from '../../src/pages/reference/openapi-document.ts'
import { REFERRAL_INFO } from './api-description.ts'

/** The scheme of its keys. Operations with this scheme give the tags, and public operations with these tags belong to it too. */
const KEY_SCHEME = 'referralKey'

/** Returns the document with the operations of the referral service, and only the tags and components that they reach. */
export function referralDocumentOf(document: ApiDocument): ApiDocument {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const tags = new Set(all.filter(takesKey).flatMap((operation) => operation.tags))
  const belongs = (operation: Described): boolean =>
    takesKey(operation) || (operation.security.length === 0 && operation.tags.some((tag) => tags.has(tag)))
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const own = Object.entries(methods).filter(([, operation]) => belongs(operation))
    return own.length === 0 ? [] : [[path, Object.fromEntries(own)] as const]
  })
  const described = {
    ...document,
    info: REFERRAL_INFO,
    tags: document.tags.filter(({ name }) => tags.has(name)),
    paths: Object.fromEntries(paths),
  }
  return { ...described, components: componentsOf(document, described.paths) }
}

type Described = ApiDocument['paths'][string][string]

const takesKey = ({ security }: Described): boolean => security.some((way) => KEY_SCHEME in way)

/** Returns the components that the paths refer to, and those that these refer to in turn. */
function componentsOf({ components }: ApiDocument, paths: object): ApiDocument['components'] {
  const reached = new Set<string>([`securitySchemes/${KEY_SCHEME}`])
  const visit = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (reached.has(`${kind}/${name}`)) continue
      reached.add(`${kind}/${name}`)
      visit(membersOf(membersOf(components)[kind])[name])
    }
  }
  visit(paths)
  const kept = mapValues(components, (named, kind): JsonObject =>
    Object.fromEntries(Object.entries(named).filter(([name]) => reached.has(`${kind}/${name}`))),
  )
  return { ...components, ...kept }
}
