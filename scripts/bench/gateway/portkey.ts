// Portkey's gateway from npm, where it is installed: on Node, on loopback, with the emulator as OpenAI.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { endWithUs, type Server } from '../workerd/server.ts'

const PACKAGE = '@portkey-ai/gateway'
const SERVER_PACKAGE = '@hono/node-server'
/** The one its lockfile names. With the newest that its package.json allows, its streams answer 500. */
const SERVER_VERSION = '1.3.3'

export const PORTKEY_HELP = `npm install ${PACKAGE}
                      in a folder whose package.json is {"overrides": {"${SERVER_PACKAGE}": "${SERVER_VERSION}"}}`

const ATTEMPTS = 100
const PAUSE_MS = 100

const ManifestSchema = z.object({ version: z.string() })

/** @param folder the one in which it was installed. Throws where it has not the server it was made with. */
export async function startPortkeyOnNode(folder: string): Promise<Server> {
  const home = homeOf(folder)
  if (serverVersion(home) !== SERVER_VERSION) {
    throw new Error(`Portkey's streams need ${SERVER_PACKAGE} ${SERVER_VERSION}: ${PORTKEY_HELP}`)
  }
  const port = await freePort()
  const main = portkeyMain(folder)
  const child = spawn(process.execPath, [main, `--port=${port}`, '--headless'], {
    cwd: dirname(main),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
  endWithUs(child)
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await answers(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid ?? 0, port, url, inspectorPort: null, stop }
}

/** What its package starts: the whole of it in one file. */
export const portkeyMain = (folder: string): string => join(homeOf(folder), 'build/start-server.js')

const homeOf = (folder: string): string => join(folder, 'node_modules', PACKAGE)

export const hasPortkey = (folder: string): boolean => existsSync(homeOf(folder))

/** Of the server that it will load, which need not be the one beside it. */
function serverVersion(home: string): string {
  const entry = createRequire(join(home, 'package.json')).resolve(SERVER_PACKAGE)
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'))
  return ManifestSchema.parse(manifest).version
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answers(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await sleep(PAUSE_MS)
    }
  }
}
