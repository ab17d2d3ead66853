// Declares operations: one declaration makes the route and its entry in the OpenAPI document. The query and the headers of the
// service's own are checked here, so that every route refuses undeclared ones alike. The handler reads the body, because errors
// about the caller's key and limits come before errors about the body. A declaration has functions that return its schemas, so that
// none is made at start.
import type { RouteConfig } from '@hono/zod-openapi'
import type { AppContext } from './context.ts'
import type { ErrorCode } from './errors.ts'
import { readFileBody, readJsonBody, readQuery, type FileLimits } from './read-request.ts'
import { once } from './once.ts'
import { KEY_ERROR_CODES, RATE_HEADERS } from './responses.ts'
import { createApi, headerFault, queryFault, type Api } from './router.ts'
import type * as z from 'zod'

export type Answer = Exclude<RouteConfig['responses'][number], { $ref: string }>

/** The document's description of an operation, without its shapes. Members come in the order of declaration. */
export type OperationDescription = Pick<RouteConfig, 'tags' | 'security' | 'operationId' | 'summary' | 'description'>

/**
 * The callers that an operation admits.
 * `Caller` is a handler's view of the caller, `Rule` an operation's condition for callers, such as a permission.
 */
export type Audience<Caller, Rule> = {
  codes: (rule: Rule) => readonly ErrorCode[]
  /** The further error codes of an operation other than GET. */
  changeCodes: readonly ErrorCode[]
  headers?: () => z.ZodObject
  answerHeaders?: NonNullable<Answer['headers']>
  /** Returns the caller, or throws the refusal. */
  admit: (c: AppContext, rule: Rule) => Promise<Caller>
  /** Checks and counts the caller if the query is wrong. For operations whose handler admits all other calls itself. */
  admitUnread?: (c: AppContext) => Promise<void>
}

/** A JSON response: its schema, and a sentence about it. */
export type JsonAnswer = readonly [schema: () => z.ZodType, description: string]

export type Operation<Body extends z.ZodType, Query extends z.ZodObject> = OperationDescription & {
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  /** Path parameters that the document describes as more than a text. */
  params?: () => z.ZodRawShape
  /** Headers beyond those of the audience. */
  headers?: () => z.ZodObject
  query?: () => Query
  /** The JSON body, at most 16 KiB. */
  body?: () => Body
  /** The body if it is a file, as it is. */
  file?: FileLimits
  /** The successful responses by status. */
  answers: Record<number, JsonAnswer | Answer | (() => Answer)>
  /** The error codes beyond those of the audience and of the body. */
  errors?: readonly ErrorCode[]
  /** Bodies that replace the plain error envelope, by code. */
  errorBodies?: Partial<Record<ErrorCode, () => z.ZodType>>
  /** Codes that have a further status here. */
  alsoAs?: Readonly<Record<number, readonly ErrorCode[]>>
  /** The router's form of the path, if a parameter takes more than one segment. */
  pattern?: string
  /** Ignores members of the query that are not declared: for a query that another service writes. */
  takesAnyQuery?: boolean
}

/** Reads the body and the query. A handler calls these after the checks that must fail first. */
type RequestInput<Body extends z.ZodType, Query extends z.ZodObject> = {
  /** Throws `payload_too_large`, `unsupported_media_type` or `invalid_request`. */
  body: () => Promise<z.output<Body>>
  /** Throws `payload_too_large`, `unsupported_media_type` or `invalid_request`. */
  file: () => Promise<Uint8Array>
  /** Throws `invalid_request`. */
  query: () => z.output<Query>
}

type Handler<Caller, Body extends z.ZodType, Query extends z.ZodObject> = (call: {
  c: AppContext
  caller: Caller
  sent: RequestInput<Body, Query>
}) => Response | Promise<Response>

export type Operations<Caller, Rule> = {
  api: Api
  /** Adds a route. The word is that of `@hono/zod-openapi`; `handle` reads the body and the query itself. */
  openapi: <Body extends z.ZodType, Query extends z.ZodObject>(
    operation: Operation<Body, Query> & Rule,
    handle: Handler<Caller, Body, Query>,
  ) => void
}

/** The source of a route's entry in the OpenAPI document. */
export type Declaration = {
  audience: Pick<Audience<never, never>, 'changeCodes' | 'headers' | 'answerHeaders'>
  codes: readonly ErrorCode[]
  shared: OperationDescription
  operation: Operation<z.ZodType, z.ZodObject>
}

const declarations = new WeakMap<object, Declaration>()

/** Returns what the routes of an API declare, in their order. Routes that are no operations declare nothing. */
export const declarationsOf = (api: Api): Declaration[] =>
  api.routes.flatMap(({ handler }) => declarations.get(handler) ?? [])

/**
 * @param shared the description that all of these operations share
 * @param api the router to add to, if operations of several audiences belong together
 */
export function createOperations<Caller, Rule>(
  audience: Audience<Caller, Rule>,
  shared: OperationDescription = {},
  api: Api = createApi(),
): Operations<Caller, Rule> {
  return {
    api,
    openapi: (operation, handle) => {
      const { route, body, file, pattern, takesAnyQuery = false } = operation
      // A declaration may have a schema in its place, which must not be made anew for each request.
      const query = operation.query && once(operation.query)
      const headers = operation.headers && once(operation.headers)
      const [method = '', path = ''] = route.split(' ')
      const answer = async (c: AppContext): Promise<Response> => {
        const fault =
          headerFault(c.req.raw.headers, route, namesOf(headers)) ??
          (takesAnyQuery ? null : queryFault(c.req.url, namesOf(query)))
        if (fault !== null) {
          // A caller who is refused learns nothing about the query or the headers.
          await (audience.admitUnread?.(c) ?? audience.admit(c, operation))
          throw fault
        }
        const caller = await audience.admit(c, operation)
        const sent = {
          body: () => readJsonBody(c, declared(body)),
          file: () => readFileBody(c, declared(file && (() => file))),
          query: () => readQuery(c, declared(query)),
        }
        return handle({ c, caller, sent })
      }
      declarations.set(answer, { audience, codes: audience.codes(operation), shared, operation })
      api.on(method, pattern ?? path.replaceAll(/\{(\w+)\}/g, ':$1'), answer)
    },
  }
}

const namesOf = (schema: (() => z.ZodObject) | undefined): string[] => Object.keys(schema?.().shape ?? {})

function declared<T>(schema: (() => T) | undefined): T {
  if (schema === undefined) throw new TypeError('the operation declares no such schema')
  return schema()
}

/** Creates operations whose caller needs no key and no session. Each names all of its error codes. */
export const publicOperations = (shared?: OperationDescription, api?: Api): Operations<undefined, object> =>
  createOperations({ codes: () => [], changeCodes: [], admit: () => Promise.resolve(undefined) }, shared, api)

/** Creates operations for callers with a key, which `admit` checks and counts. */
export const keyedOperations = (
  admit: (c: AppContext) => Promise<void>,
  shared?: OperationDescription,
  api?: Api,
): Operations<void, object> =>
  createOperations({ codes: () => KEY_ERROR_CODES, changeCodes: [], answerHeaders: RATE_HEADERS, admit }, shared, api)

/** Creates operations whose handler checks the caller's key itself. If the query is wrong, `admitUnread` checks it instead. */
export const selfAdmittingOperations = (
  admitUnread: (c: AppContext) => Promise<void>,
  shared?: OperationDescription,
): Operations<undefined, object> =>
  createOperations(
    {
      codes: () => KEY_ERROR_CODES,
      changeCodes: [],
      answerHeaders: RATE_HEADERS,
      admit: () => Promise.resolve(undefined),
      admitUnread,
    },
    shared,
  )
