// The service as it is built once for all of wrangler's test servers. Between these and the Worker stands a proxy, which at
// times answers 500 by itself where the Worker has left a body unread. A Worker that such a server builds itself is wrapped
// in the same way.
import service from '../../../../src/worker.ts'

export * from '../../../../src/worker.ts'

export default {
  ...service,
  async fetch(request, env, ctx) {
    try {
      return await service.fetch(request, env, ctx)
    } finally {
      await readToItsEnd(request)
    }
  },
} satisfies ExportedHandler<Cloudflare.Env>

async function readToItsEnd({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || bodyUsed) return
  try {
    await body.pipeTo(new WritableStream())
  } catch {
    // Somebody reads it, or its sender is gone.
  }
}
