// Loads another checkout of this project (--against), whose own code then builds and starts its service.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { UsageError } from '../command-line.ts'
import type { bundleService } from '../workerd/build-bundle.ts'
import type { buildService, issueGatewayKeys, startService } from '../workerd/start-service.ts'

const MODULES = ['scripts/workerd/start-service.ts', 'scripts/workerd/build-bundle.ts']

/** The paths that a checkout must have, each with what to do if it is missing. */
const NEEDED: ReadonlyArray<readonly [path: string, remedy: string]> = [
  ...MODULES.map((path) => [path, 'Name a checkout of this project'] as const),
  ['node_modules/.bin/wrangler', 'Run `npm ci` there'],
  ['dist/pages', 'Run `npm run pages` there'],
]

const isFunction = (value: unknown): boolean => typeof value === 'function'

const CheckoutSchema = z.object({
  buildService: z.custom<typeof buildService>(isFunction),
  bundleService: z.custom<typeof bundleService>(isFunction),
  issueGatewayKeys: z.custom<typeof issueGatewayKeys>(isFunction),
  startService: z.custom<typeof startService>(isFunction),
})

export type Checkout = z.infer<typeof CheckoutSchema>

/** Throws UsageError if the folder is no checkout that can be started. */
export async function loadCheckout(folder: string): Promise<Checkout> {
  for (const [path, remedy] of NEEDED) {
    if (!existsSync(join(folder, path))) throw new UsageError(`--against: ${folder} has no ${path}. ${remedy}.`)
  }
  const load = (path: string): Promise<object> => import(pathToFileURL(resolve(folder, path)).href)
  const modules = await Promise.all(MODULES.map(load))
  const { data } = CheckoutSchema.safeParse(Object.assign({}, ...modules))
  if (data === undefined)
    throw new UsageError(`--against: this revision cannot start ${folder}. Name a newer checkout.`)
  return data
}
