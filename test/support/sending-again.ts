/**
 * The proxy of wrangler's servers and the service both end a connection after five idle seconds. What is sent just then reaches
 * nobody, and the proxy answers by itself (github.com/cloudflare/workers-sdk/issues/14641): it is sent again, twice at most.
 * Pages get it as text, so it uses nothing of this file.
 */
export function sendingAgain(send: typeof fetch): typeof fetch {
  return async function sendAgain(input, init) {
    for (let tries = 1; ; tries += 1) {
      const response = await send(input instanceof Request ? input.clone() : input, init)
      const { status, headers } = response
      const isOfProxy =
        status === 500 && !headers.has('x-request-id') && headers.get('content-type')?.startsWith('text/')
      if (tries === 3 || !isOfProxy || init?.body instanceof ReadableStream) return response
      if (!(await response.clone().text()).startsWith('Error: Network connection lost.')) return response
    }
  }
}
