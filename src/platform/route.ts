// Mounting a documented route. The route's zod schemas make the OpenAPI document; bodies are read and checked by the
// handler, because a caller's key and limits come before anything that is wrong with the body. The query is checked here,
// so that no route treats a member it does not know in a way of its own.
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import { getPath } from 'hono/utils/url'
import type { AppContext, AppEnv } from './context.ts'
import { declaredMembers, queryFault } from './query.ts'

export type Api = OpenAPIHono<AppEnv>

export const createApi = (): Api => new OpenAPIHono<AppEnv>({ getPath: versionedPath })

/** OpenAI's and Anthropic's clients ask for these paths where their base URL has no `/v1`. No page has one of them. */
const UNVERSIONED = /^\/(?:chat\/completions|responses|models(?:\/.*)?|embeddings|messages)$/s

/** The path by which a request is routed. Routes, CORS, limits and log lines see it with `/v1`, as it was meant. */
function versionedPath(request: Request): string {
  const path = getPath(request)
  return UNVERSIONED.test(path) ? `/v1${path}` : path
}

type Handler = (c: AppContext) => Response | Promise<Response>

type Mounting = {
  /** Checks and counts a call that has a wrong query, on a route with a key: what it throws outranks the query. */
  admit?: (c: AppContext) => Promise<unknown>
  /** The path as the router has it, where a parameter takes more than one segment. */
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

/** Mounts a route that only those may use whom `admit` lets in: whoever it refuses is told nothing about the query. */
export function mountFor<T>(
  api: Api,
  route: RouteConfig,
  admit: (c: AppContext) => Promise<T>,
  handler: (c: AppContext, admitted: T) => Promise<Response>,
): void {
  mount(api, route, async (c) => handler(c, await admit(c)), { admit })
}
