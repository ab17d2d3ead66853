// Every environment of wrangler.toml can be deployed as it stands, to its own address and no other; what goes up is small; and
// the operator is told what to put in the place of what, and how to limit calls that need no key.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { deploy } from '../support/e2e/deployment.ts'

const MOST_KIB = 1024
const BINDINGS = ['ORGANISATIONS', 'PUBLIC_LOG', 'PUBLIC_LOG_INDEX', 'DATASETS', 'DB', 'FILES']

it.each(['staging', 'production'])('builds for %s with every binding, under 1 MiB gzip', async (environment) => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-deploy-'))
  try {
    const { stdout, stderr } = await promisify(execFile)(
      'wrangler',
      ['deploy', '--dry-run', '--outdir', folder, '--env', environment],
      { env: { ...process.env, BUILD_PAGES: 'never' } },
    )
    const size = /gzip: ([\d.]+) KiB/.exec(stdout)?.[1]
    expect(Number(size)).toBeGreaterThan(0)
    expect(Number(size)).toBeLessThan(MOST_KIB)
    for (const binding of BINDINGS) expect(stdout).toContain(`env.${binding}`)
    expect(stdout).toContain('env.JURISDICTIONS ("on")')
    expect(stdout).toContain(`env.ENVIRONMENT ("${environment}")`)
    const placeholders = 'routes.0.pattern, vars.PUBLIC_ORIGIN, kv_namespaces.0.id, d1_databases.0.database_id'
    expect(stdout).toContain(`[env.${environment}] still has placeholders: ${placeholders}.`)
    expect(stdout + stderr).not.toMatch(/warning/i)
  } finally {
    await rm(folder, { recursive: true })
  }
})

const ConfigSchema = z.object({
  routes: z.array(z.object({ pattern: z.string(), custom_domain: z.boolean() })).optional(),
  workers_dev: z.boolean().optional(),
  preview_urls: z.boolean().optional(),
  compatibility_flags: z.array(z.string()),
  build: z.object({ command: z.string() }),
})

function configOf(environment: string | undefined) {
  const config: unknown = unstable_readConfig(
    { config: 'wrangler.toml', ...(environment === undefined ? {} : { env: environment }) },
    { hideWarnings: true },
  )
  return ConfigSchema.parse(config)
}

it.each([
  [undefined, ''],
  ['staging', ' --env staging'],
  ['production', ' --env production'],
])('builds the pages first for %s', (environment, option) => {
  expect(configOf(environment).build.command).toBe(`node scripts/build-pages.ts${option}`)
})

it.each([undefined, 'staging', 'production'])('reaches other hosts of its zone from outside in %s', (environment) => {
  expect(configOf(environment).compatibility_flags).toContain('global_fetch_strictly_public')
})

describe('an address', () => {
  it.each([
    ['production', 'countersign.example'],
    ['staging', 'staging.countersign.example'],
  ])('of %s is its custom domain, on a zone, and there is no other', (environment, pattern) => {
    expect(configOf(environment)).toMatchObject({
      routes: [{ pattern, custom_domain: true }],
      workers_dev: false,
      preview_urls: false,
    })
  })

  it('is none where the environment is this machine’s, should anybody deploy it', () => {
    expect(configOf(undefined)).toMatchObject({ routes: undefined, workers_dev: false, preview_urls: false })
  })
})

const deployPage = await readFile('docs/deploy.md', 'utf8')

const OperationSchema = z.object({ security: z.array(z.unknown()).optional() })
const DocumentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), OperationSchema)) })

describe('the rate rule for calls without a key', () => {
  const expression = /```text\n(http\.host eq .*)\n/.exec(deployPage)?.[1] ?? ''
  const response: unknown = JSON.parse(/```json\n([^]*?)\n```/.exec(deployPage)?.[1] ?? '')

  /** The expression has one form: outside these prefixes, or this path, or within these prefixes. */
  const [host = '', outside = '', within = ''] =
    /^http\.host eq "([^"]+)" and \(\(([^()]*(?:\([^()]*\)[^()]*)*)\) or (.*)\)$/.exec(expression)?.slice(1) ?? []
  const prefixesIn = (part: string) =>
    [...part.matchAll(/starts_with\(http\.request\.uri\.path, "([^"]+)"\)/g)].map(([, prefix = '']) => prefix)
  const isLimited = (path: string): boolean =>
    prefixesIn(outside).every((prefix) => !path.startsWith(prefix)) ||
    prefixesIn(within).some((prefix) => path.startsWith(prefix)) ||
    within.includes(`http.request.uri.path eq "${path}"`)

  it('is of the address of production, and answers as the service does', () => {
    expect(host).toBe('countersign.example')
    expect(outside.match(/not starts_with/g)).toHaveLength(prefixesIn(outside).length)
    expect(response).toMatchObject({ error: { code: 'rate_limit_exceeded', retry_after: 60 } })
  })

  it('counts every operation that needs no key, the pages, and none that needs one', async () => {
    const service = await deploy({ sample: false })
    const document: unknown = await (await service.fetch('/v1/openapi.json')).json()
    await service.close()
    const { paths } = DocumentSchema.parse(document)
    const operationsOf = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ security }) => ({
        path,
        // Paths of signing in all count: an invalid cookie still costs a database read. An operator asks for readiness seldom.
        isKeyless: security?.length === 0 || path.startsWith('/api/auth/') || path === '/readyz',
      })),
    )
    expect(operationsOf.filter(({ isKeyless }) => isKeyless).length).toBeGreaterThan(5)
    for (const { path, isKeyless } of operationsOf) expect([path, isLimited(path)]).toEqual([path, isKeyless])
    for (const page of ['/', '/docs', '/assets/page.js', '/healthz', '/v1/openapi.json']) {
      expect([page, isLimited(page)]).toEqual([page, true])
    }
    for (const keyed of ['/api/operator/organisations', '/v1/attestations/tr_1', '/v1/transparency/sth']) {
      expect([keyed, isLimited(keyed)]).toEqual([keyed, false])
    }
  })
})
