// The members of a request's query: every route takes the ones it declares, each once, and no other.
import { z, type RouteConfig } from '@hono/zod-openapi'
import { AppError } from './errors.ts'
import { isPlainName } from './plain-name.ts'

/** The names a route declares. Throws where its schema does not list them, which is a mistake in the route. */
export function declaredMembers({ path, request }: RouteConfig): readonly string[] {
  const query: unknown = request?.query
  if (query === undefined) return []
  if (!(query instanceof z.ZodObject)) throw new Error(`The query of ${path} is not declared as an object.`)
  return Object.keys(query.shape)
}

/** What the query of `url` is refused with; null where each member is declared and stands there once. */
export function queryFault(url: string, declared: readonly string[]): AppError | null {
  if (!url.includes('?')) return null
  const seen = new Set<string>()
  for (const name of new URL(url).searchParams.keys()) {
    if (!declared.includes(name)) return refuse(name, 'is not known here', `one of ${listed(declared)}`, declared)
    if (seen.has(name)) return refuse(name, 'is given more than once', 'given once', declared)
    seen.add(name)
  }
  return null
}

function refuse(name: string, problem: string, rule: string, declared: readonly string[]): AppError {
  const isPlain = isPlainName(name)
  const takes = declared.length === 0 ? 'This address takes none.' : `This address takes ${listed(declared)}.`
  return new AppError(
    'invalid_request',
    `${isPlain ? `The query member ${name}` : 'A query member'} ${problem}. ${takes}`,
    {
      ...(isPlain ? { param: name } : {}),
      fields: [{ path: isPlain ? name : '', rule: declared.length === 0 ? 'no query member' : rule }],
    },
  )
}

const listed = (names: readonly string[]): string => names.join(', ')
