// Every environment of wrangler.toml can be deployed as it stands, and what goes up is small.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MOST_KIB = 1024
const BINDINGS = ['ORGANISATIONS', 'PUBLIC_LOG', 'PUBLIC_LOG_INDEX', 'DATASETS', 'DB', 'FILES']

it.each(['staging', 'production'])('builds for %s with every binding, under 1 MiB gzip', async (environment) => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-deploy-'))
  try {
    const { stdout } = await promisify(execFile)('wrangler', [
      'deploy',
      '--dry-run',
      '--outdir',
      folder,
      '--env',
      environment,
    ])
    const size = /gzip: ([\d.]+) KiB/.exec(stdout)?.[1]
    expect(Number(size)).toBeGreaterThan(0)
    expect(Number(size)).toBeLessThan(MOST_KIB)
    for (const binding of BINDINGS) expect(stdout).toContain(`env.${binding}`)
    expect(stdout).toContain('env.JURISDICTIONS ("on")')
    expect(stdout).toContain(`env.ENVIRONMENT ("${environment}")`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
