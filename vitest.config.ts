import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { makeTemporaryFolder } from './test/support/temporary-folder.ts'

// Invented secrets, for tests only.
const TEST_SECRETS = {
  KEY_PEPPERS: `b:${'b1'.repeat(32)},a:${'a1'.repeat(32)}`,
  OPERATOR_TOKEN: 'operator-token-for-tests-only-0123456789',
}

// For this process, which has the runtimes of the unit tests, and all that it starts. The tests start some hundred commands
// and some dozen Workers: they find each other's compiled code and bundles.
const TEMPORARY = makeTemporaryFolder()
const KEPT_BUNDLES = join(TEMPORARY, 'bundles')
Object.assign(process.env, {
  TMPDIR: TEMPORARY,
  NODE_COMPILE_CACHE: join(TEMPORARY, 'compiled'),
  KEPT_BUNDLES,
  // A local runtime asks nobody on the network what a request's `cf` is to be.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
})

// Only what hangs is to end by them: a slow machine is no failure.
const TIME_LIMITS = { testTimeout: 240_000, hookTimeout: 240_000 }

const provide = {
  /** What the cases of properties are multiplied by (test/support/runs.ts). */
  runs: Number(process.env['PROPERTY_RUNS'] ?? 1),
  /** Whether what the service logs in unit tests is shown where one fails (test/support/unit/setup.ts). */
  showsLogs: process.env['TEST_LOGS'] === '1',
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    // Three files at a time, whatever the machine: on two cores, one runs while another waits. Each has its own: storage, free
    // ports, folders. They run in processes or, the unit tests, runtimes, each of which takes one file after the other.
    maxWorkers: 3,
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { ...TEST_SECRETS, TEST_MIGRATIONS: await readD1Migrations('./data/migrations') },
            },
          })),
        ],
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          provide,
          ...TIME_LIMITS,
          setupFiles: ['./test/support/unit/setup.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          // A file finds what those before it have loaded: wrangler is half of what most of them load.
          isolate: false,
          provide,
          globalSetup: ['./test/support/e2e/kept-bundles.ts'],
          include: ['test/e2e/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          ...TIME_LIMITS,
        },
      },
      {
        test: {
          name: 'browser',
          // One browser for the files that a process takes.
          isolate: false,
          provide,
          globalSetup: ['./test/support/browser/service.ts'],
          setupFiles: ['./test/support/browser/setup.ts'],
          include: ['test/browser/**/*.test.ts'],
          ...TIME_LIMITS,
          // However busy the machine is.
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          // What takes minutes and fails seldom: `npm run test:release`.
          name: 'release',
          isolate: false,
          provide,
          globalSetup: ['./test/support/e2e/kept-bundles.ts', './test/support/browser/service.ts'],
          setupFiles: ['./test/support/browser/setup.ts'],
          include: ['test/release/**/*.test.ts'],
          ...TIME_LIMITS,
        },
      },
    ],
  },
})
