// The same package of Portkey on workerd: the file that its server on Node starts, with its one listener taken by the
// Worker. Its own code knows both runtimes by what they say of themselves.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildInto, COMPATIBILITY } from '../workerd/bundle.ts'
import { startServer, type Server } from '../workerd/server.ts'
import { portkeyMain } from './portkey.ts'

/** In the place of @hono/node-server: keeps what would be served. */
const LISTENER = `
let app
export const serve = ({ fetch }) => { app = fetch; return {} }
export const served = () => app
`

/** In the place of @hono/node-ws: nothing here is asked over WebSockets. */
const NO_SOCKETS =
  'export const createNodeWebSocket = () => ({ injectWebSocket() {}, upgradeWebSocket: () => () => {} })'

/** It draws while it starts, for which it needs a request: the first one waits for that. */
const workerOf = (main: string): string => `
import process from 'node:process'
import { served } from '@hono/node-server'
let starting
export default {
  async fetch(request, env, ctx) {
    starting ??= (process.argv.push('--headless'), import(${JSON.stringify(main)}))
    await starting
    return served()(request, env, ctx)
  },
}
`

/** @param portkey the folder in which it was installed */
export async function startPortkeyOnWorkerd(portkey: string, folder: string): Promise<Server> {
  await mkdir(folder, { recursive: true })
  const config = join(folder, 'wrangler.json')
  const compatibility = { date: COMPATIBILITY.date, flags: [] }
  const settings = {
    name: 'portkey',
    main: 'worker.js',
    compatibility_date: compatibility.date,
    compatibility_flags: compatibility.flags,
    minify: true,
    alias: { '@hono/node-server': './listener.js', '@hono/node-ws': './no-sockets.js' },
  }
  await Promise.all([
    writeFile(config, JSON.stringify(settings)),
    writeFile(join(folder, 'worker.js'), workerOf(portkeyMain(portkey))),
    writeFile(join(folder, 'listener.js'), LISTENER),
    writeFile(join(folder, 'no-sockets.js'), NO_SOCKETS),
  ])
  const bundle = join(await buildInto(join(folder, 'out'), config), 'worker.js')
  const server = await startServer(folder, { bundle, bindings: [], compatibility }, null)
  try {
    await fetch(server.url)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
