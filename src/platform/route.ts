// Mounting a documented route. The route's zod schemas make the OpenAPI document; bodies are read and checked by the
// handler, because a caller's key and limits come before anything that is wrong with the body.
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { AppContext, AppEnv } from './context.ts'

export type Api = OpenAPIHono<AppEnv>

export const createApi = (): Api => new OpenAPIHono<AppEnv>()

type Handler = (c: AppContext) => Response | Promise<Response>

export function mount(api: Api, route: RouteConfig, handler: Handler): void {
  api.openAPIRegistry.registerPath(route)
  api.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), handler)
}
