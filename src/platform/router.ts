// Creates routers, which also accept paths without `/v1`. Checks that a query has only declared members, each once, and that no
// header of the service's own is sent in vain.
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import type { AppEnv } from './context.ts'
import { AppError, isPlainName } from './errors.ts'

export type Api = Hono<AppEnv>

export const createApi = (): Api => new Hono<AppEnv>({ getPath: versionedPath })

/** OpenAI's and Anthropic's clients call these paths if their base URL has no `/v1`. No page has such a path. */
const UNVERSIONED = /^\/(?:chat\/completions|responses|models(?:\/.*)?|embeddings|messages(?:\/count_tokens)?)$/s

/** Returns a request's path, with `/v1` if it is one of UNVERSIONED. Routes, CORS, limits and log lines see this path. */
function versionedPath(request: Request): string {
  const path = getPath(request)
  return UNVERSIONED.test(path) ? `/v1${path}` : path
}

/** Returns the error for the query of `url`, or null if each member is declared and is there once. */
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

const OWN_HEADER_PREFIX = 'x-aqta-'

/** Every request header of the service's own. Clients may be set to send them with every request. */
const OWN_HEADERS = [
  'approval',
  'cohort',
  'data-region',
  'deadline-ms',
  'organisation',
  'reference',
  'unsupported',
  'use-case',
].map((name) => OWN_HEADER_PREFIX + name)

/**
 * Returns the error for a header of the service's own that would be without effect, because its sender relies on it; else null.
 * A read under /v1, and everything under /api, accepts all that exist.
 */
export function headerFault(headers: Headers, route: string, declared: readonly string[]): AppError | null {
  const known = /^GET | \/api\//.test(route) ? OWN_HEADERS : declared
  for (const name of headers.keys()) {
    if (!name.startsWith(OWN_HEADER_PREFIX) || known.includes(name)) continue
    const isPlain = isPlainName(name)
    return new AppError(
      'invalid_request',
      `${isPlain ? `The header ${name}` : 'A header'} has no effect here. Leave it out.`,
      { ...(isPlain ? { param: name } : {}), fields: [{ path: isPlain ? name : '', rule: 'no such header' }] },
    )
  }
  return null
}

function refuse(name: string, problem: string, rule: string, declared: readonly string[]): AppError {
  const isPlain = isPlainName(name)
  const takes = declared.length === 0 ? 'Leave it out.' : `This address accepts ${listed(declared)}.`
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
