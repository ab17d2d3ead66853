// The ways a chat call can go to the same emulator, each in a process of its own: straight, through the yardsticks,
// through this gateway, and through Portkey where it is installed. What writes is there once for each kind of storage.
import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import { cycle } from '../service/calls.ts'
import type { ServiceProject } from '../service/project.ts'
import { issueGatewayKeys, startService } from '../service/start-service.ts'
import { bundleWorker } from '../workerd/bundle.ts'
import type { Binding } from '../workerd/config.ts'
import type { Call } from '../workerd/load.ts'
import { startServer, type Server, type StartOptions as ServerOptions } from '../workerd/server.ts'
import type { Storage, StoragePlace } from '../workerd/storage-places.ts'
import { chatBodies, isWhole, type ChatCase } from './cases.ts'
import { startPortkeyOnNode } from './portkey.ts'
import { startPortkeyOnWorkerd } from './portkey-workerd.ts'
import type { Upstream } from './upstream.ts'

/** By which the report knows them. */
export type SystemName =
  | 'direct'
  | 'pass-through'
  | 'read and enqueue'
  | `floor, ${Storage}`
  | 'gateway'
  | `gateway, ${Storage}`
  | 'gateway before'
  | 'no policy'
  | 'Portkey on Node'
  | 'Portkey on workerd'

export type System = {
  name: SystemName
  server: Pick<Server, 'pid' | 'port'>
  path: string
  headers: () => OutgoingHttpHeaders
  /** In every answer that went the right way. */
  mark: string
}

const PATH = '/v1/chat/completions'

export type StartOptions = { folder: string; upstream: Upstream; organisations: number }

type SystemsWanted = StartOptions & {
  /** The first one is that of what is measured in one storage only. */
  storages: readonly StoragePlace[]
  /** Where Portkey is installed. */
  portkey: string | null
}

/** Each server is handed to `started` as soon as it runs, so that it can be stopped whatever happens next. */
export async function startSystems(options: SystemsWanted, started: (server: Server) => void): Promise<System[]> {
  const { upstream, folder, storages, portkey } = options
  const yardstick = startYardsticks(options)
  const systems: System[] = [
    { name: 'direct', server: upstream, path: `/openai${PATH}`, headers: bearer(upstream.key), mark: '' },
  ]
  const add = (name: SystemName, server: Server, more: Partial<System> = {}): void => {
    started(server)
    systems.push({ server, path: PATH, headers: () => ({}), mark: '', ...more, name })
  }
  add('pass-through', await yardstick('pass', folder))
  add('read and enqueue', await yardstick('enqueue', folder))
  for (const place of storages) {
    add(`floor, ${place.storage}`, await yardstick('floor', place.folder))
    const gateway = await startGateway({ ...options, folder: place.folder })
    add(`gateway, ${place.storage}`, gateway.server, gatewaySystem(gateway))
  }
  if (portkey !== null) {
    const asked = { headers: portkeyHeaders(upstream) }
    add('Portkey on Node', await startPortkeyOnNode(portkey), asked)
    add('Portkey on workerd', await startPortkeyOnWorkerd(portkey, join(folder, 'portkey')), asked)
  }
  return systems
}

export type Gateway = { server: Server; keys: string[] }

/** Each key is used in turn. */
export function gatewaySystem({ server, keys }: Gateway): System {
  const nextKey = cycle(keys)
  return { name: 'gateway', server, path: PATH, headers: () => bearer(nextKey())(), mark: '"status":"passed"' }
}

/** This gateway, or that of another checkout, with keys whose limits no run reaches. */
export async function startGateway(
  { folder, upstream, organisations }: StartOptions,
  { policy, ...options }: ServerOptions & { project?: ServiceProject; policy?: PolicyDocument | undefined } = {},
): Promise<Gateway> {
  const vars = { OPENAI_BASE_URL: upstream.openAi, OPENAI_API_KEY: upstream.key }
  const { server, target } = await startService(join(folder, 'gateway'), { vars, ...options })
  try {
    return { server, keys: await issueGatewayKeys(target, organisations, policy) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Makes what starts the bench's own Worker in one of its modes. */
function startYardsticks({ folder, upstream, organisations }: StartOptions) {
  const bundling = bundleWorker(join(folder, 'yardsticks'), 'scripts/bench/gateway/worker.ts')
  return async (mode: string, place: string): Promise<Server> => {
    const bindings: Binding[] = [
      { kind: 'text', name: 'MODE', value: mode },
      { kind: 'text', name: 'UPSTREAM', value: `${upstream.openAi}${PATH}` },
      { kind: 'text', name: 'UPSTREAM_KEY', value: upstream.key },
      { kind: 'json', name: 'OBJECTS', value: organisations },
      { kind: 'durable_object', name: 'FLOOR', className: 'ChatWrites' },
    ]
    return await startServer(join(place, mode), { bundle: await bundling, bindings }, null)
  }
}

const bearer = (key: string) => (): OutgoingHttpHeaders => ({ authorization: `Bearer ${key}` })

const portkeyHeaders = (upstream: Upstream) => (): OutgoingHttpHeaders => ({
  ...bearer(upstream.key)(),
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': `${upstream.openAi}/v1`,
})

/** The calls of a case, one way. */
export function callsOf(chatCase: ChatCase, { path, headers, mark }: System): () => Call {
  const nextBody = chatBodies(chatCase)
  return () => {
    const body = nextBody()
    const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    return {
      method: 'POST',
      path,
      headers: { ...headers(), ...content },
      body,
      isRight: (answer) => isWhole(answer, chatCase) && answer.includes(mark),
      // The gateway holds the finish back until it knows the usage: that is told by the time to the end.
      gapsUntil: '"finish_reason":"stop"',
    }
  }
}
