import type { Script } from '../../../support/e2e/golden/stage.ts'

export const health: Script = async ({ stage, send }) => {
  const anybody = stage.visitor()
  await send('health', anybody, 'GET', '/healthz', undefined, { allHeaders: true })
  await send('identity providers', anybody, 'GET', '/api/auth/providers', undefined, { allHeaders: true })
  await send('an unknown query member', anybody, 'GET', '/healthz?verbose=1')
  await send('readiness', stage.operator, 'GET', '/readyz', undefined, { omitBody: true, allHeaders: true })
  await send('readiness without a token', anybody, 'GET', '/readyz')
  await send('readiness with a query', stage.operator, 'GET', '/readyz?verbose=1')
  await send('an unknown address', anybody, 'GET', '/v1/unknown')
  await send('an unknown management address', anybody, 'GET', '/api/unknown')
  await send('a wrong method', anybody, 'DELETE', '/v1/chat/completions')
  await send('HEAD', anybody, 'HEAD', '/healthz')
  await send('OPTIONS', anybody, 'OPTIONS', '/v1/chat/completions')
  for (const path of ['/v1/openapi.json', '/v1/referral/openapi.json']) {
    const document = await send('the OpenAPI document', anybody, 'GET', path, undefined, { omitBody: true })
    await send('the document that is known already', anybody, 'GET', path, undefined, {
      headers: { 'if-none-match': document.headers.get('etag') ?? '' },
    })
  }
}
