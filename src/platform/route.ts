// Mounts a documented route. Its zod schemas make the OpenAPI document. The handler checks the body, because a bad key or a used-up
// limit outranks a bad body. The query is checked here, so that all routes treat unknown members alike.
import { OpenAPIHono, z, type RouteConfig } from '@hono/zod-openapi'
import { getPath } from 'hono/utils/url'
import type { AppContext, AppEnv } from './context.ts'
import { AppError, isPlainName } from './errors.ts'

export type Api = OpenAPIHono<AppEnv>

export const createApi = (): Api => new OpenAPIHono<AppEnv>({ getPath: versionedPath })

/** OpenAI's and Anthropic's clients call these paths if their base URL has no `/v1`. No page has one of them. */
const UNVERSIONED = /^\/(?:chat\/completions|responses|models(?:\/.*)?|embeddings|messages)$/s

/** Adds the `/v1` that such a client left out. Routes, CORS, limits and log lines see the path with it. */
function versionedPath(request: Request): string {
  const path = getPath(request)
  return UNVERSIONED.test(path) ? `/v1${path}` : path
}

type Handler = (c: AppContext) => Response | Promise<Response>

type Mounting = {
  /** Checks and counts a call with a wrong query, on a route with a key. Its error outranks the query's. */
  admit?: (c: AppContext) => Promise<unknown>
  /** The router's path, if a parameter takes more than one segment. */
  pattern?: string
  /** For a route whose query another service writes: members that are not declared are ignored. */
  takesAnyQuery?: boolean
}

export function mount(
  api: Api,
  route: RouteConfig,
  handler: Handler,
  { admit, pattern, takesAnyQuery = false }: Mounting = {},
): void {
  const declared = declaredMembers(route)
  api.openAPIRegistry.registerPath(route)
  api.on(route.method, pattern ?? route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const fault = takesAnyQuery ? null : queryFault(c.req.url, declared)
    if (fault === null) return handler(c)
    await admit?.(c)
    throw fault
  })
}

/** Mounts a route whose callers `admit` checks first. A caller whom it refuses hears nothing about the query. */
export function mountFor<T>(
  api: Api,
  route: RouteConfig,
  admit: (c: AppContext) => Promise<T>,
  handler: (c: AppContext, admitted: T) => Promise<Response>,
): void {
  mount(api, route, async (c) => handler(c, await admit(c)), { admit })
}

/** The query members that a route declares. Throws if its schema does not list them, which is a mistake in the route. */
function declaredMembers({ path, request }: RouteConfig): readonly string[] {
  const query: unknown = request?.query
  if (query === undefined) return []
  if (!(query instanceof z.ZodObject)) throw new Error(`The query of ${path} is not declared as an object.`)
  return Object.keys(query.shape)
}

/** The error for the query of `url`, or null if each member is declared and is there once. */
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
