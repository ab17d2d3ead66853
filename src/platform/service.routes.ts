// Routes about the service itself: its OpenAPI documents, and 503 for every request while its settings are wrong.
import * as z from 'zod'
import { describeSoftware, presentSoftware } from './build.ts'
import type { ConfigError } from './config.ts'
import { etagWith, fetchBuiltFile } from './built-file.ts'
import { AppError } from './errors.ts'
import { etagMatches } from './responses.ts'
import { renderErrorOrPage } from './render-error.ts'
import { publicOperations } from './operations.ts'
import { useRequestMiddleware } from './request.middleware.ts'
import { createApi, type Api } from './router.ts'

/** Each document is a file that the build makes from the declared routes (scripts/document). */
const DOCUMENTS = [
  { route: 'GET /v1/openapi.json', operationId: 'describeApi', summary: 'Get the OpenAPI document' },
  {
    route: 'GET /v1/referral/openapi.json',
    operationId: 'describeReferralApi',
    summary: 'Get the referral OpenAPI',
    description: 'The referral service alone, for software that reads letters and shows waiting lists.',
  },
] as const

/**
 * Returns the routes of the OpenAPI documents.
 * @param whereLettersGo the sentence that the files have a mark for, because it depends on the settings
 */
export function documentRoutes(whereLettersGo: string): Api {
  const { api, openapi } = publicOperations()
  for (const document of DOCUMENTS) {
    openapi(
      {
        ...document,
        tags: ['Service'],
        security: [],
        answers: {
          200: [() => z.looseObject({ openapi: z.literal('3.1.0') }), 'OpenAPI 3.1.'],
          304: { description: 'What the caller has is still current (If-None-Match).' },
        },
        errors: ['invalid_request', 'internal_error'],
      },
      async ({ c }) => {
        const file = await fetchBuiltFile(c.env.ASSETS, c.req.path)
        const etag = etagWith(file, whereLettersGo)
        c.header('etag', etag)
        c.header('cache-control', 'public, max-age=300')
        if (!etagMatches(c.req.header('if-none-match'), etag)) {
          const inJson = JSON.stringify(whereLettersGo).slice(1, -1)
          const filled = (await file.text()).replace('%WHERE_LETTERS_GO%', () => inJson)
          return c.body(filled, 200, { 'content-type': 'application/json' })
        }
        await file.body?.cancel()
        return c.body(null, 304)
      },
    )
  }
  return api
}

const NOT_CONFIGURED = 'The service is not configured yet. The log names the missing settings for the operator.'
/** What to do on a developer's machine. `settings`: the names of the wrong ones. */
const localMessage = (settings: string): string =>
  `Missing or malformed in .dev.vars: ${settings}. Delete a malformed line and run npm start, which adds what is missing.`

/**
 * Returns an app that answers every request with 503, in place of the service. Only a local one names the wrong settings.
 * @param answering the routes that answer all the same
 */
export function createMisconfiguredApp(
  { settings }: ConfigError,
  env: Pick<Cloudflare.Env, 'VERSION'>,
  answering: Api,
): Api {
  const isLocal = 'ENVIRONMENT' in env && env.ENVIRONMENT === 'local'
  const shown = isLocal ? localMessage(settings.join(', ')) : NOT_CONFIGURED
  const software = presentSoftware(describeSoftware(env, isLocal ? 'local' : 'another'))
  const app = createApi()
  useRequestMiddleware(app)
  app.onError(renderErrorOrPage)
  app.route('/', answering)
  // The pages that the Worker fills (run_worker_first in wrangler.toml) are shown all the same, without that. Evidence can be checked.
  for (const page of ['/', '/reference', '/verify']) app.get(page, async (c) => fetchBuiltFile(c.env.ASSETS, page))
  app.notFound((c) => {
    const beside = c.req.path === '/healthz' ? { status: 'degraded', parts: ['settings'], dataset: null, software } : {}
    return renderErrorOrPage(new AppError('service_unavailable', shown, { beside }), c)
  })
  return app
}
