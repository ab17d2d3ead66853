// The test runtime's bucket, some of whose methods do something else.
import { env } from 'cloudflare:workers'

export type BucketMethods = Pick<R2Bucket, 'put' | 'get' | 'delete' | 'list'>

export const bucketWith = (instead: Partial<BucketMethods>): R2Bucket =>
  new Proxy(env.FILES, {
    get: (files, member: keyof BucketMethods) => instead[member] ?? files[member].bind(files),
  })

/** Runs before the object is stored; what it throws keeps it from being stored. */
export const putAfter = (first: () => void | Promise<void>): R2Bucket['put'] =>
  (async (...put: Parameters<R2Bucket['put']>) => {
    await first()
    return env.FILES.put(...put)
  }) as R2Bucket['put']

/** Stores the object, and lets nobody know. */
export const putThenFail = (async (...put: Parameters<R2Bucket['put']>) => {
  await env.FILES.put(...put)
  throw new Error('cut off')
}) as R2Bucket['put']
