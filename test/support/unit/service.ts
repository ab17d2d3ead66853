// The whole service in the test's own runtime, with a fresh organisation and its keys.
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createApp } from '../../../src/app.ts'
import { makeTables } from './tables.ts'

export type CreatedKey = { id: string; key: string; organisationId: string }

export type Service = {
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Calls an operator's route and returns its JSON. */
  operate<T>(method: string, path: string, body?: object): Promise<T>
  createOrganisation(): Promise<string>
  createKey(body?: object, organisationId?: string): Promise<CreatedKey>
}

/** A new app: its isolate-wide memories are empty. */
export function startService(overrides: object = {}): Service {
  const app = createApp({ ...env, ...overrides })

  async function call(path: string, init?: RequestInit): Promise<Response> {
    await makeTables()
    return app.fetch(new Request(`http://countersign.test${path}`, init), env, createExecutionContext())
  }

  async function operate<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await call(`/api/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${env.OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return response.json()
  }

  async function createOrganisation(): Promise<string> {
    const { id } = await operate<{ id: string }>('POST', '/organisations', { name: 'A test practice' })
    return id
  }

  async function createKey(body: object = {}, organisationId?: string): Promise<CreatedKey> {
    const owner = organisationId ?? (await createOrganisation())
    const wanted = { prefix: 'vk_test_', name: 'A test key', ...body }
    const created = await operate<{ id: string; key: string }>('POST', `/organisations/${owner}/keys`, wanted)
    return { ...created, organisationId: owner }
  }

  return { fetch: call, operate, createOrganisation, createKey }
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

export const withKey = (key: string, init: Init = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${key}`, ...init.headers },
})

/** A POST of this value as JSON. */
export const postJson = (key: string, body: unknown): RequestInit =>
  withKey(key, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
